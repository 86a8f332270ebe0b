import CommandTestSupport
import Platform

@testable import AuthBackends

@Suite struct AllauthLogInTests {
    static let done = AllauthSample.done(token: "s1")
    static let refused = AllauthSample.fault("required", "email")

    private static func config(_ methods: String, _ status: Int = 200) -> Exchange {
        .allauth("GET config", status, #"{"status":\#(status),"data":{"account":{"login_methods":[\#(methods)]}}}"#)
    }

    @Test(arguments: [
        ("ada@example.org", #""email""#, "email"), ("ada@example.org", #""username","email""#, "username"),
        ("ada@example.org", #""username""#, "username"), ("ada@example.org", #""phone","email""#, "email"),
        ("+31612345678", #""phone","email""#, "phone"), ("+31612345678", #""username","email""#, "username"),
    ])
    func `the configuration of an allauth site decides how a login sends an address or a phone number`(
        login: String, methods: String, field: String
    ) throws {
        let logIn = Exchange.allauthLogIn(sending: #"{"\#(field)":"\#(login)","password":"secret"}"#, 200, Self.done)
        // The configuration is requested once.
        let backend = AllauthBackend.replaying(Self.config(methods), logIn, logIn)
        for _ in 1...2 { #expect(throws: Never.self) { try backend.logIn(.typed(login)) } }
    }

    @Test func `without its configuration, an allauth site gets an address as e-mail, then as username`() throws {
        let backend = AllauthBackend.replaying(
            Self.config("", 500),
            .allauthLogIn(sending: AllauthSample.logInByEmail, 400, AllauthSample.fault("required", "username")),
            .allauthLogIn(sending: #"{"username":"ada@example.org","password":"secret"}"#, 200, Self.done))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@example.org")) }
    }

    @Test func `if a name is rejected as e-mail and username, an allauth login reports the first rejection`() throws {
        let backend = AllauthBackend.replaying(
            Self.config(#""username","email""#),
            .allauthLogIn(
                sending: #"{"username":"a@","password":"secret"}"#, 400, AllauthSample.fault("invalid", "username")),
            .allauthLogIn(sending: #"{"email":"a@","password":"secret"}"#, 400, Self.refused))
        try expect(failure { _ = try backend.logIn(.typed("a@")) }.server?.code, "invalid")
    }

    @Test func `an allauth login is not repeated after a wrong password`() throws {
        let wrong = AllauthSample.fault("username_password_mismatch", "password")
        let sent = #"{"username":"ada@example.org","password":"secret"}"#
        let backend = AllauthBackend.replaying(
            Self.config(#""username","email""#), .allauthLogIn(sending: sent, 400, wrong))
        try expect(failure { _ = try backend.logIn(.typed("ada@example.org")) }.reason, .wrongPassword)
    }

    @Test func `an allauth site that serializes users in its own way shows that a session is valid`() throws {
        let user =
            #"{"status":200,"data":{"user":{"uuid":"7c1d"}},"meta":{"is_authenticated":true,"session_token":"s1"}}"#
        let backend = AllauthBackend.replaying(
            .allauthLogIn(200, user), .allauthUser(as: .token("s1"), 200, user))
        let logIn = try #require(try backend.logIn(.typed("ada")).value.session)
        expect(logIn.user, User(username: "ada", fields: ["uuid": "7c1d"]))
        try expect(backend.currentUser(.allauth).value.fields, ["uuid": "7c1d"])
    }

    @Test func `an allauth login with a rejected username reports that the site identifies users by e-mail`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(400, Self.refused))
        try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/allauth")
    }

    @Test(arguments: [
        (401, AllauthSample.pending("made_up"), AuthError.Reason.unsupported),
        (401, AllauthSample.pending("mfa_authenticate", types: #"["webauthn"]"#), .unsupported),
        (401, AllauthSample.pending("mfa_authenticate", types: #"["webauthn","totp"]"#), .secondFactorRequired),
        (401, AllauthSample.pending("mfa_authenticate"), .secondFactorRequired),
        (401, AllauthSample.reauthentication, .reauthenticationRequired),
        (200, AllauthSample.done(token: nil), .invalidResponse),
    ])
    func `the response to an unfinished allauth login determines the error reason`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        var pending: Pending?
        let error = try failure {
            let outcome = try AllauthBackend.replaying(.allauthLogIn(status, answer)).logIn(.typed("ada")).value
            pending = outcome.pending
            _ = try outcome.session()
        }
        expect(error.reason, reason)
        error.expectMessage(in: "backends/allauth", "\(status) \(answer)")
        expect(pending?.token, nil)
    }

    /// Source: django-allauth 65.21.1 with `ACCOUNT_LOGIN_BY_CODE_REQUIRED`, and with phone numbers.
    @Test(arguments: [("login_by_code", "code/confirm"), ("verify_phone", "phone/verify")])
    func `an allauth login that waits for a code is finished with the code alone`(flow: String, path: String) throws {
        let pending = AllauthSample.pending(flow)
        let backend = AllauthBackend.replaying(
            .allauthLogIn(401, pending), .allauthLogIn(401, pending), .allauthUser(as: .token("p1"), 401, pending),
            .allauth("POST auth/\(path)", sending: #"{"code":"123456"}"#, as: .token("p1"), 200, Self.done),
            .allauthUser(as: .token("p1"), 401, AllauthSample.notLoggedIn))
        let first = try #require(try backend.logIn(.typed("ada")).value.pending)
        expect(first.step, (flow == "verify_phone" ? .phoneVerification : .logInCode))
        // The site has just sent another code.
        let second = try backend.logIn(.typed("ada"), code: Secret("123456")).value.pending
        expect(second?.token, Secret("p1"))
        first.error.expectMessage(in: "backends/allauth")
        try expect(backend.resume(Secret("p1"), code: Secret("123456")).value.session().session, .allauth)
        try expect(failure { try backend.resume(Secret("p1"), code: Secret("123456")) }.reason, .sessionRevoked)
    }

    @Test func `an allauth site with only identities of other services is told from a wrong URL`() throws {
        let backend = AllauthBackend.replaying(
            .allauthLogIn(404, "<html>"), .allauthSite, .allauthLogIn(404, "<html>"),
            .allauth("GET config", 404, "<html>"))
        try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/allauth")
        try expect(failure { try backend.logIn(.typed("ada")) }.reason, .wrongEndpoint)
    }

    @Test func `an allauth login error for an unverified e-mail address contains the pending login's token`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(401, AllauthSample.pending("verify_email")))
        let pending = try backend.logIn(.typed("ada")).value.pending
        expect(pending?.step, .emailVerification)
        expect(pending?.token, Secret("p1"))
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
        try expect(self.logIn((Self.pending, Self.second(200, Self.done))), Reply(.session(logIn)))
    }

    @Test(
        arguments: [
            (401, AllauthSample.pending("verify_email", token: "p2"), .emailUnverified, "p2"),
            (401, AllauthSample.pending("mfa_trust"), .unsupported, nil),
        ] as [(Int, String, AuthError.Reason, String?)])
    func `the pending flow after a one-time code determines the error reason of an unfinished allauth login`(
        status: Int, answer: String, reason: AuthError.Reason, pendingToken: String?
    ) throws {
        var pending: Pending?
        let error = try failure {
            let outcome = try logIn((Self.pending, Self.second(status, answer))).value
            pending = outcome.pending
            _ = try outcome.session()
        }
        expect(error.reason, reason)
        expect(pending?.token?.reveal(), pendingToken)
    }

    @Test func `an allauth login sends the one-time code only if the second factor is pending`() throws {
        let backend = AllauthBackend.replaying(.allauthLogIn(401, AllauthSample.pending("verify_email")))
        let pending = try backend.logIn(.typed("ada"), code: Secret("123456")).value.pending
        expect(pending?.step, .emailVerification)
    }
}
