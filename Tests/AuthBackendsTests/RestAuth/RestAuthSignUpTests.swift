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

    @Test(arguments: [
        (200, RestAuthSample.pair), (201, RestAuthSample.pair),
    ])
    func `a signup accepts a response with JWTs and the user`(status: Int, answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, status, answer))
        let logIn = NewSession(user: .seven, session: .restAuthJWT, createdAccount: true)
        #expect(try backend.signUp(Self.account) == Reply(.session(logIn)))
    }

    @Test func `a signup response with only a detail text requires e-mail verification`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 201, #"{"detail":"Verification e-mail sent."}"#))
        #expect(try backend.signUp(Self.account) == Reply(.pending(.emailVerification, Self.known)))
    }

    @Test(arguments: [
        (204, "", known), (201, "", known), (201, "{}", known),
        (201, RestAuthSample.user, .seven), (201, #"{"user":\#(RestAuthSample.user)}"#, .seven),
        (200, #"{"mfa_required":true,"ephemeral_token":"e"}"#, known),
    ])
    func `a signup without a session has created the account`(
        status: Int, answer: String, user: User
    ) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, status, answer))
        #expect(try backend.signUp(Self.account) == Reply(.created(user)))
    }

    @Test(arguments: ["", "{}"])
    func `a signup response with status 200 and no content does not report a created account`(answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, 200, answer))
        let error = try failure { _ = try backend.signUp(Self.account) }
        #expect(error.reason == .invalidResponse)
        error.expectMessage(in: "backends/rest-auth")
    }

    @Test func `a signup has created the account even if the site rejects its key`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 201, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", 403, #"{"detail":"Authentication credentials were not provided."}"#))
        #expect(try backend.signUp(Self.account) == Reply(.created(Self.known)))
    }

    @Test func `a signup leaves out missing names`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", #"{"email":"a@b.example","password1":"s","password2":"s"}"#, 204, ""))
        let account = NewAccount(username: nil, email: "a@b.example", password: Secret("s"))
        #expect(try backend.signUp(account) == Reply(.created(User(email: "a@b.example"))))
    }

    @Test func `fields of a signup cannot replace name and password`() throws {
        let body = #"{"age":36,"password1":"secret","username":"ada","password2":"secret"}"#
        let backend = RestAuthBackend.replaying(.post("registration/", body, 204, ""))
        let account = NewAccount(
            username: "ada", password: Secret("secret"), fields: ["age": 36, "password1": "x", "username": "y"])
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test func `a signup and its e-mails use the registration path of the profile`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["registrationPath": "join/"],
            .post("join/", #"{"username":"ada","password1":"s","password2":"s"}"#, 204, ""),
            .post("join/resend-email/", #"{"email":"a@b.example"}"#, 200, #"{"detail":"ok"}"#),
            .post("join/verify-email/", #"{"key":"k"}"#, 200, #"{"detail":"ok"}"#))
        _ = try backend.signUp(NewAccount(username: "ada", password: Secret("s")))
        _ = try backend.sendVerification(email: "a@b.example")
        try backend.verifyEmail(key: "k")
    }

    @Test(arguments: [(404, "<html>"), (404, ""), (404, "{}"), (200, "<html>"), (401, "{}"), (405, "")])
    func `a missing view is reported only after the site is known to have rest-auth`(status: Int, answer: String) throws
    {
        let backend = RestAuthBackend.replaying(
            atSite: false, [.post("registration/", Self.body, 404, "<html>"), .get("login/", status, answer)])
        let error = try failure { _ = try backend.signUp(Self.account) }
        #expect(error.reason == (status == 404 && answer != "{}" ? .wrongEndpoint : .unsupported))
    }

    @Test func `a missing view is unsupported if the request that detects rest-auth fails`() throws {
        let refused = TransportError(.connect, "cannot connect")
        let request = "GET https://a.example/auth/login/\nAccept: application/json\nAccept-Language: en"
        let backend = RestAuthBackend.replaying(
            atSite: false, [.post("registration/", Self.body, 404, "<html>"), Exchange(request, refused)])
        #expect(try failure { _ = try backend.signUp(Self.account) }.reason == .unsupported)
    }
}
