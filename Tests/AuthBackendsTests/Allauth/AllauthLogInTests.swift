import AuthModel
import CommandTestSupport
import Platform
import Testing
import Transport

@testable import AuthBackends

@Suite struct AllauthLogInTests {
    static let done = AllauthSample.done(token: "s1")
    static let refused = AllauthSample.fault("required", "email")

    @Test func `an allauth login sends a name with an @ as e-mail`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(sending: AllauthSample.logInByEmail, 200, Self.done))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@example.org")) }
    }

    @Test func `an allauth login sends a name with an @ as username if the site requires a username`() throws {
        let backend = AllauthBackend.replaying(
            .allauthLogIn(sending: AllauthSample.logInByEmail, 400, AllauthSample.fault("required", "username")),
            .allauthLogIn(sending: #"{"username":"ada@example.org","password":"secret"}"#, 200, Self.done))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@example.org")) }
    }

    @Test func `if a name is rejected as e-mail and username, an allauth login reports the first rejection`() throws {
        let backend = AllauthBackend.replaying(
            .allauthLogIn(
                sending: #"{"email":"a@","password":"secret"}"#, 400, AllauthSample.fault("invalid", "email")),
            .allauthLogIn(sending: #"{"username":"a@","password":"secret"}"#, 400, Self.refused))
        #expect(try failure { _ = try backend.logIn(.typed("a@")) }.server?.code == "invalid")
    }

    @Test func `an allauth login is not repeated after a wrong password`() throws {
        let wrong = AllauthSample.fault("email_password_mismatch", "password")
        let backend = AllauthBackend.replaying(.allauthLogIn(sending: AllauthSample.logInByEmail, 400, wrong))
        #expect(try failure { _ = try backend.logIn(.typed("ada@example.org")) }.reason == .wrongPassword)
    }

    @Test func `an allauth login with a rejected username reports that the site identifies users by e-mail`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(400, Self.refused))
        try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/allauth")
    }

    @Test(arguments: [
        (401, AllauthSample.pending("login_by_code"), AuthError.Reason.unsupported),
        (401, AllauthSample.pending("made_up"), .unsupported),
        (401, AllauthSample.pending("mfa_authenticate"), .secondFactorRequired),
        (401, AllauthSample.reauthentication, .reauthenticationRequired),
        (200, AllauthSample.done(token: nil), .invalidResponse),
    ])
    func `the response to an unfinished allauth login determines the error reason`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let error = try backendFailure {
            _ = try AllauthBackend.replaying(.allauthLogIn(status, answer)).logIn(.typed("ada"))
        }
        #expect(error.reason == reason)
        error.shown.expectMessage(in: "backends/allauth", "\(status) \(answer)")
        #expect(error.state?.unfinishedLogin == nil)
    }

    @Test func `an allauth login error for an unverified e-mail address contains the pending login's token`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(401, AllauthSample.pending("verify_email")))
        let error = try backendFailure { _ = try backend.logIn(.typed("ada")) }
        #expect(error.reason == .emailUnverified)
        #expect(error.state?.unfinishedLogin == Secret("p1"))
    }

    // MARK: - Second factor

    static let pending = Exchange.allauthLogIn(401, AllauthSample.pending("mfa_authenticate"))

    private static func second(_ status: Int, _ answer: String) -> Exchange {
        .allauth("POST auth/2fa/authenticate", sending: #"{"code":"123456"}"#, as: .token("p1"), status, answer)
    }

    private func logIn(_ exchanges: (Exchange, Exchange)) throws -> Reply<LogInOutcome> {
        try AllauthBackend.replaying(exchanges.0, exchanges.1).logIn(.typed("ada"), code: Secret("123456"))
    }

    @Test func `a one-time code completes an allauth login`() throws {
        let logIn = NewSession(user: .allauthSeven, session: .allauth)
        #expect(try self.logIn((Self.pending, Self.second(200, Self.done))) == Reply(.session(logIn)))
    }

    @Test(
        arguments: [
            (401, AllauthSample.pending("verify_email", token: "p2"), .emailUnverified, "p2"),
            (401, AllauthSample.pending("mfa_trust"), .unsupported, nil),
        ] as [(Int, String, AuthError.Reason, String?)])
    func `the pending flow after a one-time code determines the error reason of an unfinished allauth login`(
        status: Int, answer: String, reason: AuthError.Reason, pendingToken: String?
    ) throws {
        let error = try backendFailure { _ = try logIn((Self.pending, Self.second(status, answer))) }
        #expect(error.reason == reason)
        #expect(error.state?.unfinishedLogin?.reveal() == pendingToken)
    }

    @Test func `an allauth login sends the one-time code only if the second factor is pending`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(401, AllauthSample.pending("verify_email")))
        let error = try failure { _ = try backend.logIn(.typed("ada"), code: Secret("123456")) }
        #expect(error.reason == .emailUnverified)
    }
}
