import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct AllauthVerificationTests {
    // MARK: - Key and code

    private static func verify(
        _ key: String = "MPDF-FRQW", as sender: Exchange.AllauthSender = .nobody, _ status: Int, _ answer: String
    ) -> Exchange {
        .allauth("POST auth/email/verify", sending: #"{"key":"\#(key)"}"#, as: sender, status, answer)
    }

    static let pending = Requester.pending(Secret("p1"))

    @Test func `logs in with the code that the log-in waits for`() throws {
        let backend = AllauthBackend.replaying(Self.verify(as: .token("p1"), 200, AllauthSample.done(token: "s1")))
        let logIn = NewSession(user: .allauthSeven, session: .allauth)
        #expect(try backend.verifyEmail(key: "MPDF-FRQW", as: Self.pending) == Reply(logIn))
    }

    @Test func `takes the key of a link as it stands there`() throws {
        let backend = AllauthBackend.replaying(Self.verify("MQ:1x:y", as: .nobody, 401, AllauthSample.nobody))
        #expect(try backend.verifyEmail(key: "MQ%3A1x%3Ay", as: .anonymous) == Reply(nil))
    }

    @Test(arguments: [
        (401, AllauthSample.nobody), (401, AllauthSample.pending("mfa_authenticate")),
        (200, AllauthSample.done(token: nil)), (200, #"{"status":200}"#),
    ])
    func `has confirmed the address although nobody is logged in by it`(status: Int, answer: String) throws {
        let backend = AllauthBackend.replaying(Self.verify(as: .token("p1"), status, answer))
        #expect(try backend.verifyEmail(key: "MPDF-FRQW", as: Self.pending) == Reply(nil))
    }

    @Test func `gives a code for an address of who is logged in`() throws {
        let backend = AllauthBackend.replaying(
            Self.verify(as: .token("s1"), 200, AllauthSample.done(token: nil)),
            Self.verify(as: .token("s1"), 200, AllauthSample.done(token: "s2")),
            Self.verify(as: .token("s1"), 410, AllauthSample.dead),
            Self.verify(as: .nobody, 401, AllauthSample.nobody))
        let requester = Requester.session(.allauthOld)
        #expect(try backend.verifyEmail(key: "MPDF-FRQW", as: requester) == Reply(nil))
        #expect(try backend.verifyEmail(key: "MPDF-FRQW", as: requester) == Reply(nil, replacement: .allauthNew))
        #expect(try backend.verifyEmail(key: "MPDF-FRQW", as: requester) == Reply(nil))
    }

    @Test func `confirms without what waits for it where that is gone`() throws {
        let backend = AllauthBackend.replaying(
            Self.verify(as: .token("p1"), 410, AllauthSample.dead),
            Self.verify(as: .nobody, 401, AllauthSample.nobody))
        #expect(try backend.verifyEmail(key: "MPDF-FRQW", as: Self.pending) == Reply(nil))
    }

    @Test(arguments: [
        (400, AllauthSample.fault("invalid_or_expired_key", "key"), AuthError.Reason.notFound),
        (400, AllauthSample.fault("incorrect_code", "key"), .wrongCode), (409, #"{"status":409}"#, .notFound),
        (429, "", .rateLimited), (502, "", .outcomeUnknown), (401, "<html>", .forbidden),
    ])
    func `says why the address is not confirmed`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = AllauthBackend.replaying(Self.verify(as: .token("p1"), status, answer))
        #expect(try failure { _ = try backend.verifyEmail(key: "MPDF-FRQW", as: Self.pending) }.reason == reason)
    }

    // MARK: - Mails

    private static func resend(_ status: Int, _ answer: String) -> Exchange {
        .allauth("POST auth/email/verify/resend", sending: "{}", as: .token("p1"), status, answer)
    }

    @Test func `sends another code to whom waits for one`() throws {
        let backend = AllauthBackend.replaying(Self.resend(200, #"{"status":200}"#))
        #expect(try backend.sendVerification(email: "a@b.c", as: Self.pending) == Reply(true))
    }

    @Test func `takes what is waited with from then on`() throws {
        let backend = AllauthBackend.replaying(Self.resend(200, AllauthSample.done(token: "p2")))
        let reply = try backend.sendVerification(email: "a@b.c", as: Self.pending)
        #expect(reply.replacement?.token == Secret("p2"))
    }

    @Test(arguments: [
        (409, #"{"status":409}"#, AuthError.Reason.notFound), (410, AllauthSample.dead, .sessionRevoked),
        (403, #"{"status":403}"#, .rateLimited), (403, "<html>", .forbidden), (429, "", .rateLimited),
    ])
    func `says why no code is sent`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = AllauthBackend.replaying(Self.resend(status, answer))
        #expect(try failure { _ = try backend.sendVerification(email: "a@b.c", as: Self.pending) }.reason == reason)
    }

    private static func emails(isVerified: Bool) -> Exchange {
        let row = #"{"email":"a@b.c","verified":\#(isVerified),"primary":true}"#
        return .allauth("GET account/email", as: .token("s1"), 200, #"{"status":200,"data":[\#(row)]}"#)
    }

    private static func sendLink(_ email: String, _ status: Int, _ answer: String) -> Exchange {
        .allauth("PUT account/email", sending: #"{"email":"\#(email)"}"#, as: .token("s1"), status, answer)
    }

    @Test func `sends a link to an address of who is logged in`() throws {
        let backend = AllauthBackend.replaying(
            Self.emails(isVerified: false), Self.sendLink("a@b.c", 200, #"{"status":200}"#))
        #expect(try backend.sendVerification(email: "a@b.c", as: .session(.allauthOld)) == Reply(true))
    }

    @Test func `sends nothing to an address that is confirmed`() throws {
        let backend = AllauthBackend.replaying(Self.emails(isVerified: true))
        #expect(try backend.sendVerification(email: "A@b.c", as: .session(.allauthOld)) == Reply(false))
    }

    @Test(arguments: [
        (403, #"{"status":403}"#, AuthError.Reason.rateLimited, "a mail was sent a short while ago"),
        (400, AllauthSample.fault("unknown_email", "email"), .notFound, "the account has no such address"),
    ])
    func `says why no link is sent`(status: Int, answer: String, reason: AuthError.Reason, message: String) throws {
        let backend = AllauthBackend.replaying(Self.emails(isVerified: false), Self.sendLink("x@b.c", status, answer))
        let error = try failure { _ = try backend.sendVerification(email: "x@b.c", as: .session(.allauthOld)) }
        #expect(error.reason == reason)
        #expect(error.message == message)
    }

    @Test func `sends nothing for nobody, and says how to have it sent`() throws {
        let error = try failure { _ = try AllauthBackend.replaying().sendVerification(email: "a@b.c", as: .anonymous) }
        #expect(error.reason == .unsupported)
        #expect(error.nextSteps == ["log in again: with the right password a new mail is sent"])
    }
}
