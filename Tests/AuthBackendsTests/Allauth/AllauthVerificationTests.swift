import CommandTestSupport

@testable import AuthBackends

@Suite struct AllauthVerificationTests {
    // MARK: - Key and code

    private static func verify(
        _ key: String = "MPDF-FRQW", as sender: Exchange.AllauthSender = .anonymous, _ status: Int, _ answer: String
    ) -> Exchange {
        .allauth("POST auth/email/verify", sending: #"{"key":"\#(key)"}"#, as: sender, status, answer)
    }

    static let pending = Requester.pending(Secret("p1"))

    @Test func `the code in a verification e-mail completes the pending allauth login`() throws {
        let backend = AllauthBackend.replaying(Self.verify(as: .token("p1"), 200, AllauthSample.done(token: "s1")))
        let logIn = NewSession(user: .allauthSeven, session: .allauth)
        try expect(backend.verify("MPDF-FRQW", VerificationProof(as: Self.pending)), Reply(.session(logIn)))
    }

    @Test func `an allauth verification key is sent percent-decoded`() throws {
        let backend = AllauthBackend.replaying(Self.verify("MQ:1x:y", as: .anonymous, 401, AllauthSample.notLoggedIn))
        try expect(backend.verify("MQ%3A1x%3Ay", VerificationProof()), Reply(.done))
    }

    @Test(arguments: [
        (401, AllauthSample.notLoggedIn), (401, AllauthSample.pending("mfa_authenticate")),
        (200, AllauthSample.done(token: nil)), (200, #"{"status":200}"#),
    ])
    func `an allauth e-mail verification succeeds even if it returns no session`(status: Int, answer: String) throws {
        let backend = AllauthBackend.replaying(Self.verify(as: .token("p1"), status, answer))
        try expect(backend.verify("MPDF-FRQW", VerificationProof(as: Self.pending)), Reply(.done))
    }

    @Test func `an allauth e-mail verification is retried without the session if the session is invalid`() throws {
        let backend = AllauthBackend.replaying(
            Self.verify(as: .token("s1"), 200, AllauthSample.done(token: nil)),
            Self.verify(as: .token("s1"), 200, AllauthSample.done(token: "s2")),
            Self.verify(as: .token("s1"), 410, AllauthSample.dead),
            Self.verify(as: .anonymous, 401, AllauthSample.notLoggedIn))
        let requester = Requester.session(.allauthOld)
        try expect(backend.verify("MPDF-FRQW", VerificationProof(as: requester)), Reply(.done))
        try expect(
            backend.verify("MPDF-FRQW", VerificationProof(as: requester)), Reply(.done, replacement: .allauthNew))
        try expect(backend.verify("MPDF-FRQW", VerificationProof(as: requester)), Reply(.done))
    }

    @Test func `a verification key is sent again, without a token, if the pending login has expired`() throws {
        let backend = AllauthBackend.replaying(
            Self.verify(as: .token("p1"), 410, AllauthSample.dead),
            Self.verify(as: .anonymous, 401, AllauthSample.notLoggedIn))
        try expect(backend.verify("MPDF-FRQW", VerificationProof(as: Self.pending)), Reply(.done))
    }

    // MARK: - E-mails

    private static func resend(_ status: Int, _ answer: String) -> Exchange {
        .allauth("POST auth/email/verify/resend", sending: "{}", as: .token("p1"), status, answer)
    }

    @Test func `a new verification code can be requested for a pending allauth login`() throws {
        let backend = AllauthBackend.replaying(Self.resend(200, #"{"status":200}"#))
        try expect(backend.sendVerification(email: "a@b.c", as: Self.pending), Reply(true))
    }

    @Test func `a request for a new verification code returns the pending login's new token, if any`() throws {
        let backend = AllauthBackend.replaying(Self.resend(200, AllauthSample.done(token: "p2")))
        let reply = try backend.sendVerification(email: "a@b.c", as: Self.pending)
        expect(reply.replacement?.token, Secret("p2"))
    }

    private static func emails(isVerified: Bool) -> Exchange {
        let row = #"{"email":"a@b.c","verified":\#(isVerified),"primary":true}"#
        return .allauth("GET account/email", as: .token("s1"), 200, #"{"status":200,"data":[\#(row)]}"#)
    }

    @Test func `the verified addresses of an allauth account are listed without its e-mail`() throws {
        let rows = #"""
            {"email":"a@b.c","verified":true,"primary":true},{"email":"n@b.c","verified":true,"primary":false},
            {"email":"u@b.c","verified":false,"primary":false}
            """#
        let backend = AllauthBackend.replaying(
            .allauth("GET account/email", as: .token("s1"), 200, #"{"status":200,"data":[\#(rows)]}"#))
        try expect(backend.otherVerifiedEmails(of: .allauthOld).value, ["n@b.c"])
    }

    private static func sendLink(_ email: String, _ status: Int, _ answer: String) -> Exchange {
        .allauth("PUT account/email", sending: #"{"email":"\#(email)"}"#, as: .token("s1"), status, answer)
    }

    @Test func `a verification e-mail is requested for the address of a logged-in allauth user`() throws {
        let backend = AllauthBackend.replaying(
            Self.emails(isVerified: false), Self.sendLink("a@b.c", 200, #"{"status":200}"#))
        try expect(backend.sendVerification(email: "a@b.c", as: .session(.allauthOld)), Reply(true))
    }

    @Test func `no verification e-mail is requested for a verified address of an allauth user`() throws {
        let backend = AllauthBackend.replaying(Self.emails(isVerified: true))
        try expect(backend.sendVerification(email: "A@b.c", as: .session(.allauthOld)), Reply(false))
    }

    @Test func `an allauth verification e-mail requires a session or a pending login`() throws {
        let error = try failure { _ = try AllauthBackend.replaying().sendVerification(email: "a@b.c", as: .anonymous) }
        error.expectMessage(in: "backends/allauth")
    }

    // MARK: - Password resets

    private func reset(_ key: MailKey, _ status: Int, _ answer: String) throws -> LogInOutcome? {
        try AllauthBackend.replaying(
            .allauth(
                "POST auth/password/reset",
                sending: #"{"key":"2-dicr2b-0123456789abcdef0123456789abcdef","password":"new"}"#, status, answer)
        ).resetPassword(key: key, to: Secret("new"), of: nil, pending: nil)
    }

    @Test func `an allauth password reset returns a session only if the site logs the user in`() throws {
        try expect(
            reset(
                "https://app.example/reset/2-dicr2b-0123456789abcdef0123456789abcdef/", 401, AllauthSample.notLoggedIn),
            nil)
        try expect(
            reset("2-dicr2b-0123456789abcdef0123456789abcdef", 200, AllauthSample.done(token: "s1")),
            .session(NewSession(user: .allauthSeven, session: .allauth)))
    }

    /// Source of the error codes: django-allauth 65.21.1.
    @Test(
        arguments: [
            ("invalid_password_reset", "key", .notFound), ("incorrect_code", "key", .wrongCode),
            ("password_too_common", "password", .weakPassword),
        ] as [(String, String, AuthError.Reason)])
    func `a rejected allauth reset reports the reason`(code: String, field: String, reason: AuthError.Reason) throws {
        let answer = #"{"status":400,"errors":[{"message":"x","code":"\#(code)","param":"\#(field)"}]}"#
        let error = try failure { _ = try reset("2-dicr2b-0123456789abcdef0123456789abcdef", 400, answer) }
        expect(error.reason, reason)
        expect(error.fields.map(\.field), [field])
    }
}
