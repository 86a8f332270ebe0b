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

    @Test func `an allauth signup sends the e-mail, password and fields unchanged`() throws {
        let body = #"{"age":3,"email":" A@b.c ","password":"  sécret\n"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/signup", sending: body, 200, AllauthSample.done(token: "s1")))
        let account = NewAccount(username: nil, email: " A@b.c ", password: Secret("  sécret\n"), fields: ["age": 3])
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test(arguments: [("login_by_code", Pending.Step.logInCode), ("verify_phone", .phoneVerification)])
    func `an allauth signup that waits for a code has created the account`(flow: String, step: Pending.Step) throws {
        let pending = Pending(step, token: Secret("p1"))
        #expect(try signUp(401, AllauthSample.pending(flow)) == Reply(.pending(pending, Self.known)))
    }

    @Test func `an allauth signup sends a phone number, and the e-mail twice if the site requires that`() throws {
        let first = #"{"email":"a@b.example","phone":"+3161","password":"secret"}"#
        let second = #"{"email2":"a@b.example","email":"a@b.example","phone":"+3161","password":"secret"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/signup", sending: first, 400, AllauthSample.fault("required", "email2")),
            .allauth("POST auth/signup", sending: second, 200, AllauthSample.done(token: "s1")))
        let account = NewAccount(username: nil, email: "a@b.example", phone: "+3161", password: Secret("secret"))
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test func `an allauth session is reauthenticated with the password`() throws {
        let body = #"{"password":"secret"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/reauthenticate", sending: body, as: .token("s1"), 200, AllauthSample.done(token: nil)),
            .allauth(
                "POST auth/reauthenticate", sending: body, as: .token("s1"), 400,
                AllauthSample.fault("incorrect_password", "password")))
        #expect(throws: Never.self) { try backend.reauthenticate(Secret("secret"), of: .allauth) }
        #expect(try failure { try backend.reauthenticate(Secret("secret"), of: .allauth) }.reason == .wrongPassword)
    }

    @Test func `an allauth signup returns JWTs if the site issues them`() throws {
        let answer = AllauthSample.done(access: AllauthSample.access, refresh: AllauthSample.refresh)
        let logIn = NewSession(user: .allauthSeven, session: .allauthJWT, createdAccount: true)
        #expect(try signUp(200, answer) == Reply(.session(logIn)))
    }

    @Test func `an allauth signup prefers a session token to a JWT without a refresh token`() throws {
        let meta = #","session_token":"s1","access_token":"\#(AllauthSample.access)""#
        let logIn = NewSession(user: .allauthSeven, session: .allauth, createdAccount: true)
        #expect(try signUp(200, AllauthSample.done(meta: meta)) == Reply(.session(logIn)))
    }

    @Test(arguments: [Secret("p1"), nil])
    func `pending e-mail verification does not prove that an allauth signup created an account`(token: Secret?) throws {
        let answer = AllauthSample.pending("verify_email", token: token?.reveal())
        let pending = Pending(.emailVerification, token: token, isCertain: false)
        #expect(try signUp(401, answer) == Reply(.pending(pending, Self.known)))
    }

    @Test(arguments: [
        (401, AllauthSample.notLoggedIn), (401, AllauthSample.pending("approval")),
        (200, AllauthSample.done(token: nil)),
        (200, #"{"status":200}"#), (200, AllauthSample.done(token: "no token")),
    ])
    func `if an allauth signup returns no session and no pending verification, the account was created`(
        status: Int, answer: String
    ) throws {
        #expect(try signUp(status, answer) == Reply(.created(Self.known)))
    }

    @Test func `all invalid fields of an allauth signup are reported with their errors`() throws {
        let answer =
            #"{"status":400,"errors":[{"message":"A.","code":"invalid","param":"username"},"#
            + #"{"message":"B.","code":"email_taken","param":"email"},{"message":"C.","code":"x"}]}"#
        let error = try failure { _ = try signUp(400, answer) }
        error.expectMessage(in: "backends/allauth")
        #expect(
            error.fields == [
                FieldFault("username", "A.", isServerText: true), FieldFault("email", "B.", isServerText: true),
            ])
        #expect(error.server == ServerDetail(status: 400, code: "invalid", message: "A."))
    }
}
