import AuthModel
import CommandTestSupport
import Platform
import Testing
import Transport

@testable import AuthBackends

@Suite struct AllauthLogInTests {
    static let done = AllauthSample.done(token: "s1")
    static let refused = AllauthSample.fault("required", "email")

    @Test func `sends no word of who is logged in, and asks for English JSON`() throws {
        let backend = AllauthBackend.replaying(
            Exchange(
                """
                POST https://a.example/_allauth/app/v1/auth/login
                Accept: application/json
                Accept-Language: en
                Content-Type: application/json

                {"username":"ada","password":"secret"}
                """, 200, Self.done))
        #expect(
            try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .allauthSeven, session: .allauth))))
    }

    @Test func `takes what holds the sign for an e-mail`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(sending: AllauthSample.logInByEmail, 200, Self.done))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@example.org")) }
    }

    @Test func `takes it for a user name where the site wants one`() throws {
        let backend = AllauthBackend.replaying(
            .allauthLogIn(sending: AllauthSample.logInByEmail, 400, AllauthSample.fault("required", "username")),
            .allauthLogIn(sending: #"{"username":"ada@example.org","password":"secret"}"#, 200, Self.done))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@example.org")) }
    }

    @Test func `tells the first refusal where it can be neither`() throws {
        let backend = AllauthBackend.replaying(
            .allauthLogIn(
                sending: #"{"email":"a@","password":"secret"}"#, 400, AllauthSample.fault("invalid", "email")),
            .allauthLogIn(sending: #"{"username":"a@","password":"secret"}"#, 400, Self.refused))
        #expect(try failure { _ = try backend.logIn(.typed("a@")) }.server?.code == "invalid")
    }

    @Test func `looks at the password once`() throws {
        let wrong = AllauthSample.fault("email_password_mismatch", "password")
        let backend = AllauthBackend.replaying(.allauthLogIn(sending: AllauthSample.logInByEmail, 400, wrong))
        #expect(try failure { _ = try backend.logIn(.typed("ada@example.org")) }.reason == .wrongPassword)
    }

    @Test func `asks for the e-mail where the site takes no name`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(400, Self.refused))
        let error = try failure { _ = try backend.logIn(.typed("ada")) }
        #expect(error.reason == .invalidFields)
        #expect(error.message == "the site knows people by their e-mail")
        #expect(error.nextSteps == ["give the address in the place of the user name"])
    }

    @Test(arguments: [
        (400, AllauthSample.fault("username_password_mismatch", "password"), AuthError.Reason.wrongPassword),
        (400, AllauthSample.fault("too_many_login_attempts"), .rateLimited),
        (400, AllauthSample.fault("invalid_login"), .invalidFields), (400, "", .brokenAnswer),
        (401, AllauthSample.nobody, .accountDisabled), (401, AllauthSample.pending("login_by_code"), .unsupported),
        (401, AllauthSample.pending("made_up"), .unsupported),
        (401, AllauthSample.pending("mfa_authenticate"), .secondFactorRequired),
        (401, AllauthSample.reauthentication, .reauthenticationRequired), (401, "<html>", .forbidden),
        (409, #"{"status":409}"#, .forbidden), (429, #"{"status":429}"#, .rateLimited), (500, "<html>", .serverFault),
        (502, "", .serverFault), (200, AllauthSample.done(token: nil), .brokenAnswer), (200, "<html>", .brokenAnswer),
    ])
    func `says why there is no session`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let error = try failure {
            _ = try AllauthBackend.replaying(.allauthLogIn(status, answer)).logIn(.typed("ada"))
        }
        #expect(error.reason == reason)
        #expect(error.pendingToken == nil)
    }

    @Test func `tells what a mailed code goes on with`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(401, AllauthSample.pending("verify_email")))
        let error = try failure { _ = try backend.logIn(.typed("ada")) }
        #expect(error.reason == .emailUnverified)
        #expect(error.pendingToken == Secret("p1"))
    }

    // MARK: - Second factor

    static let pending = Exchange.allauthLogIn(401, AllauthSample.pending("mfa_authenticate"))

    private static func second(_ status: Int, _ answer: String) -> Exchange {
        .allauth("POST auth/2fa/authenticate", sending: #"{"code":"123456"}"#, as: .token("p1"), status, answer)
    }

    private func logIn(_ exchanges: (Exchange, Exchange)) throws -> Reply<LogInOutcome> {
        try AllauthBackend.replaying(exchanges.0, exchanges.1).logIn(.typed("ada"), code: Secret("123456"))
    }

    @Test func `goes on with a code, one-time or for recovery`() throws {
        let logIn = NewSession(user: .allauthSeven, session: .allauth)
        #expect(try self.logIn((Self.pending, Self.second(200, Self.done))) == Reply(.session(logIn)))
    }

    @Test func `needs no code for an account without one`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(200, Self.done))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada"), code: Secret("123456")) }
    }

    @Test(arguments: [
        (400, AllauthSample.fault("incorrect_code", "code"), AuthError.Reason.wrongCode, Secret?.none),
        (400, AllauthSample.fault("too_many_login_attempts"), .rateLimited, nil),
        (401, AllauthSample.nobody, .sessionRevoked, nil), (410, AllauthSample.dead, .sessionRevoked, nil),
        (401, AllauthSample.pending("verify_email", token: "p2"), .emailUnverified, Secret("p2")),
        (401, AllauthSample.pending("mfa_trust"), .unsupported, nil),
    ])
    func `says why a code did not do`(
        status: Int, answer: String, reason: AuthError.Reason, pendingToken: Secret?
    ) throws {
        let error = try failure { _ = try logIn((Self.pending, Self.second(status, answer))) }
        #expect(error.reason == reason)
        #expect(error.pendingToken == pendingToken)
    }

    @Test func `does not send a code where something else is pending`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(401, AllauthSample.pending("verify_email")))
        let error = try failure { _ = try backend.logIn(.typed("ada"), code: Secret("123456")) }
        #expect(error.reason == .emailUnverified)
    }
}
