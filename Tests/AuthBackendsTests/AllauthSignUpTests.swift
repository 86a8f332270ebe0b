import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

@Suite struct AllauthSignUpTests {
    static let body = #"{"username":"ada","email":"ada@example.org","password":"secret"}"#
    static let account = NewAccount(username: "ada", email: "ada@example.org", password: Secret("secret"))
    static let known = User(username: "ada", email: "ada@example.org")

    private func signUp(_ status: Int, _ answer: String) throws -> Reply<SignUpOutcome> {
        let exchange = Exchange.allauth("POST auth/signup", sending: Self.body, status, answer)
        return try AllauthBackend.replaying(exchange).signUp(Self.account)
    }

    @Test func `sends no word of who is logged in, and asks for English JSON`() throws {
        let backend = AllauthBackend.replaying(
            Exchange(
                """
                POST https://a.example/_allauth/app/v1/auth/signup
                Accept: application/json
                Accept-Language: en
                Content-Type: application/json

                \(Self.body)
                """, 200, AllauthSample.done(token: "s1")))
        let logIn = NewSession(user: .allauthSeven, session: .allauth, createdAccount: true)
        #expect(try backend.signUp(Self.account) == Reply(.session(logIn)))
    }

    @Test func `sends what was typed, and the fields of the site`() throws {
        let body = #"{"age":3,"email":" A@b.c ","password":"  sécret\n"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/signup", sending: body, 200, AllauthSample.done(token: "s1")))
        let account = NewAccount(
            username: nil, email: " A@b.c ", password: Secret("  sécret\n"), fields: ["age": 3])
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test func `takes web tokens where the site gives them`() throws {
        let answer = AllauthSample.done(access: AllauthSample.access, refresh: AllauthSample.refresh)
        let logIn = NewSession(user: .allauthSeven, session: .allauthWebTokens, createdAccount: true)
        #expect(try signUp(200, answer) == Reply(.session(logIn)))
    }

    @Test func `does not take a web token that nothing renews where there is a session`() throws {
        let meta = #","session_token":"s1","access_token":"\#(AllauthSample.access)""#
        let logIn = NewSession(user: .allauthSeven, session: .allauth, createdAccount: true)
        #expect(try signUp(200, AllauthSample.done(meta: meta)) == Reply(.session(logIn)))
    }

    @Test(arguments: [Secret("p1"), nil])
    func `waits for the address to be confirmed, which may be somebody's already`(token: Secret?) throws {
        let answer = AllauthSample.pending("verify_email", token: token?.reveal())
        let pending = Pending(.emailVerification, token: token, isCertain: false)
        #expect(try signUp(401, answer) == Reply(.pending(pending, Self.known)))
    }

    @Test(arguments: [
        (401, AllauthSample.nobody), (401, AllauthSample.pending("approval")), (200, AllauthSample.done(token: nil)),
        (200, #"{"status":200}"#), (200, AllauthSample.done(token: "no token")),
    ])
    func `has made an account although nothing comes to go on with`(status: Int, answer: String) throws {
        #expect(try signUp(status, answer) == Reply(.created(Self.known)))
    }

    @Test(arguments: [
        (403, #"{"status":403}"#, AuthError.Reason.forbidden, "the site is closed for sign-up"),
        (403, "<html>", .forbidden, "the server, or a gateway before it, forbids it"),
        (409, #"{"status":409}"#, .forbidden, "somebody is logged in already"),
        (400, AllauthSample.fault("username_taken", "username"), .usernameTaken, "the user name is taken"),
        (400, AllauthSample.fault("email_taken", "email"), .emailTaken, "the e-mail is taken"),
        (
            400, AllauthSample.fault("password_too_common", "password"), .weakPassword,
            "the server finds the password too weak: \"No.\""
        ),
        (400, AllauthSample.fault("required", "email"), .invalidFields, "the server refused the e-mail: \"No.\""),
        (400, AllauthSample.fault("made_up"), .invalidFields, "the server refused it: \"No.\""),
        (400, "", .brokenAnswer, "the server's answer makes no sense"),
        (401, "", .forbidden, "the server, or a gateway before it, asks for another authentication"),
        (
            401, #"{"status":401,"error":"Unauthorized"}"#, .forbidden,
            "the server, or a gateway before it, asks for another authentication"
        ),
        (404, "<html>", .wrongEndpoint, "there is no headless allauth at this address"),
        (405, "", .wrongEndpoint, "there is no headless allauth at this address"),
        (429, #"{"status":429}"#, .rateLimited, "too many requests"),
        (500, "<html>", .outcomeUnknown, "the answer was lost: a page with status 500 came"),
        (500, #"{"status":500}"#, .serverFault, "the server failed"),
        (502, "", .outcomeUnknown, "the answer was lost: a gateway with status 502 came"),
        (
            200, "<html>Log in to the network", .brokenAnswer,
            "the server's answer is a page, not JSON: \"Log in to the network\""
        ),
    ])
    func `says why there is no account`(status: Int, answer: String, reason: AuthError.Reason, message: String) throws {
        let error = try failure { _ = try signUp(status, answer) }
        #expect(error.reason == reason)
        #expect(error.message == message)
        #expect(error.server?.status == status)
        #expect(error.retryAfter == nil)
    }

    @Test func `tells all faults, each of its field`() throws {
        let answer =
            #"{"status":400,"errors":[{"message":"A.","code":"invalid","param":"username"},"#
            + #"{"message":"B.","code":"email_taken","param":"email"},{"message":"C.","code":"x"}]}"#
        let error = try failure { _ = try signUp(400, answer) }
        #expect(error.reason == .invalidFields)
        #expect(error.message == "the server refused 2 fields")
        #expect(
            error.fields == [
                FieldFault("username", "A.", isServerText: true), FieldFault("email", "B.", isServerText: true),
            ])
        #expect(error.server == ServerDetail(status: 400, code: "invalid", message: "A."))
    }

    @Test func `does not know whether there is an account when the answer is lost`() throws {
        let lost = TransportError(.timeout, "no answer within 30 seconds", wasSent: true)
        let backend = AllauthBackend.replaying(.allauth("POST auth/signup", sending: Self.body, lost))
        let error = try failure { _ = try backend.signUp(Self.account) }
        #expect(error.reason == .outcomeUnknown)
        #expect(error.nextSteps == ["the account may exist: try to log in with the same name and password"])
    }
}
