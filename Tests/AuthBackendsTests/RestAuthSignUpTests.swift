import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthSignUpTests {
    static let body = #"{"username":"ada","email":"ada@example.org","password1":"secret","password2":"secret"}"#
    static let account = NewAccount(username: "ada", email: "ada@example.org", password: Secret("secret"))
    static let known = User(username: "ada", email: "ada@example.org")

    @Test func `sends no word of who is logged in, and asks for English JSON`() throws {
        let backend = RestAuthBackend.replaying(
            Exchange(
                """
                POST https://a.example/auth/registration/
                Accept: application/json
                Accept-Language: en
                Content-Type: application/json

                \(Self.body)
                """, 201, RestAuthSample.key), .keyUser)
        let logIn = NewSession(user: .seven, session: .key, createdAccount: true)
        #expect(try backend.signUp(Self.account) == Reply(.session(logIn)))
    }

    @Test(arguments: [
        (200, RestAuthSample.pair), (201, RestAuthSample.pair),
    ])
    func `takes web tokens and the user beside them`(status: Int, answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, status, answer))
        let logIn = NewSession(user: .seven, session: .webTokens, createdAccount: true)
        #expect(try backend.signUp(Self.account) == Reply(.session(logIn)))
    }

    @Test func `waits for the address to be confirmed where only a text comes`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 201, #"{"detail":"Verification e-mail sent."}"#))
        #expect(try backend.signUp(Self.account) == Reply(.pending(.emailVerification, Self.known)))
    }

    @Test(arguments: [
        (204, "", known), (201, "", known), (201, "{}", known),
        (201, RestAuthSample.user, .seven), (201, #"{"user":\#(RestAuthSample.user)}"#, .seven),
        (200, #"{"mfa_required":true,"ephemeral_token":"e"}"#, known),
    ])
    func `has made an account although there is no session in the answer`(
        status: Int, answer: String, user: User
    ) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, status, answer))
        #expect(try backend.signUp(Self.account) == Reply(.created(user)))
    }

    @Test(arguments: ["", "{}"])
    func `is not said to have made an account where nothing says so`(answer: String) {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, 200, answer))
        #expect(throws: AuthError.self) { try backend.signUp(Self.account) }
    }

    @Test func `has made an account although the site does not accept the key that it gives`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 201, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", 403, #"{"detail":"Authentication credentials were not provided."}"#))
        #expect(try backend.signUp(Self.account) == Reply(.created(Self.known)))
    }

    @Test(arguments: [500, 502, 503, 404])
    func `keeps the session although its user could not be asked for`(status: Int) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 201, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", status, "<html>"))
        let logIn = NewSession(user: Self.known, session: .key, createdAccount: true)
        #expect(try backend.signUp(Self.account) == Reply(.session(logIn)))
    }

    @Test func `leaves out what was not given`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", #"{"email":"a@b.example","password1":"s","password2":"s"}"#, 204, ""))
        let account = NewAccount(username: nil, email: "a@b.example", password: Secret("s"))
        #expect(try backend.signUp(account) == Reply(.created(User(email: "a@b.example"))))
    }

    @Test func `sends further fields, which cannot replace name and password`() throws {
        let body = #"{"age":36,"password1":"secret","username":"ada","password2":"secret"}"#
        let backend = RestAuthBackend.replaying(.post("registration/", body, 204, ""))
        let account = NewAccount(
            username: "ada", password: Secret("secret"), fields: ["age": 36, "password1": "x", "username": "y"])
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test(arguments: [
        ("a+b", "a+b"), ("a&b=c", "a&b=c"), ("100%41", "100%41"), (" two  spaces ", " two  spaces "),
        ("👩‍🚀é", "👩‍🚀é"), (#"quo"te\"#, #"quo\"te\\"#), ("li\nne", #"li\nne"#), ("'<b>", "'<b>"),
    ])
    func `sends what was typed`(typed: String, inJSON: String) throws {
        let body = #"{"username":"\#(inJSON)","password1":"\#(inJSON)","password2":"\#(inJSON)"}"#
        let backend = RestAuthBackend.replaying(.post("registration/", body, 204, ""))
        #expect(throws: Never.self) {
            try backend.signUp(NewAccount(username: typed, password: Secret(typed)))
        }
    }

    @Test func `goes where the site makes accounts, with its mails below`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["registrationPath": "join/"],
            .post("join/", #"{"username":"ada","password1":"s","password2":"s"}"#, 204, ""),
            .post("join/resend-email/", #"{"email":"a@b.example"}"#, 200, #"{"detail":"ok"}"#),
            .post("join/verify-email/", #"{"key":"k"}"#, 200, #"{"detail":"ok"}"#))
        _ = try backend.signUp(NewAccount(username: "ada", password: Secret("s")))
        _ = try backend.sendVerification(email: "a@b.example")
        try backend.verifyEmail(key: "k")
    }

    @Test func `does not know whether there is an account when a page or nothing came back`() throws {
        let lost = TransportError(.timeout, "no answer in time", wasSent: true)
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 500, "<html>"), .post("registration/", Self.body, 502, "<html>"),
            .post("registration/", Self.body, lost))
        for _ in 1...3 {
            let error = try failure { _ = try backend.signUp(Self.account) }
            #expect(error.reason == .outcomeUnknown)
            #expect(error.nextSteps == ["the account may exist: try to log in with the same name and password"])
        }
    }

    @Test(arguments: [(404, "<html>"), (404, ""), (404, "{}"), (200, "<html>"), (401, "{}"), (405, "")])
    func `finds out whether there is such a site before it says what the site lacks`(status: Int, answer: String) throws
    {
        let backend = RestAuthBackend.replaying(
            atSite: false, [.post("registration/", Self.body, 404, "<html>"), .get("login/", status, answer)])
        let error = try failure { _ = try backend.signUp(Self.account) }
        #expect(error.reason == (status == 404 && answer != "{}" ? .wrongEndpoint : .unsupported))
    }

    @Test func `blames the site where that cannot be found out`() throws {
        let refused = TransportError(.connect, "cannot connect")
        let request = "GET https://a.example/auth/login/\nAccept: application/json\nAccept-Language: en"
        let backend = RestAuthBackend.replaying(
            atSite: false, [.post("registration/", Self.body, 404, "<html>"), Exchange(request, refused)])
        #expect(try failure { _ = try backend.signUp(Self.account) }.reason == .unsupported)
    }

    @Test func `says that a site makes no accounts, and how to name another path`() throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, 404, "<html>"))
        let error = try failure { _ = try backend.signUp(Self.account) }
        #expect(error.reason == .unsupported)
        #expect(error.nextSteps.first?.command.contains("registrationPath") == true)
    }
}
