import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct KiiPasswordTests {
    private static func change(_ status: Int, _ answer: String = "") -> Exchange {
        .kii(
            "PUT users/me/password", type: "ChangePassword", sending: #"{"newPassword":"new","oldPassword":"old"}"#,
            as: "t1",
            status, answer)
    }

    private func change(_ backend: KiiBackend) throws -> Reply<Void> {
        try backend.changePassword(from: Secret("old"), to: Secret("new"), of: .kii)
    }

    @Test func `a password change logs in again, because it revokes all sessions`() throws {
        let reply = try change(.replaying(.kiiMe(), Self.change(204), .kiiLogIn("ada", "new", 200, KiiSample.pair)))
        let session = Session(
            token: Secret("t2"), refreshToken: Secret("r2"), createdAt: .sampleNow,
            expiresAt: .sampleNow.adding(.seconds(3600)))
        #expect(reply.replacement == session)
    }

    @Test(arguments: [
        (#"{"userID":"u","emailAddress":"a@x.org","phoneNumber":"+81"}"#, "EMAIL:a@x.org"),
        (#"{"userID":"u","loginName":"","phoneNumber":"+8190"}"#, "PHONE:+8190"),
    ])
    func `the login after a password change uses an address where there is no name`(user: String, login: String) throws
    {
        let reply = try change(.replaying(.kiiMe(200, user), Self.change(204), .kiiLogIn(login, "new")))
        #expect(reply.replacement == .kii)
    }

    @Test func `an account without a name cannot change its password`() throws {
        let error = try failure { _ = try change(.replaying(.kiiMe(200, #"{"userID":"u"}"#))) }
        #expect(error.reason == .unsupported)
        #expect(!error.isAfterSuccess)
        error.expectMessage(in: "backends/kii")
    }

    @Test(arguments: [
        (503, KiiSample.error("LOCK_FAILED"), AuthError.Reason.serverFault), (429, "", .rateLimited),
        (400, KiiSample.oauth("invalid_grant"), .wrongPassword), (200, "{}", .brokenAnswer),
    ])
    func `a failed login after a password change says that the password was changed`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = KiiBackend.replaying(.kiiMe(), Self.change(204), .kiiLogIn("ada", "new", status, answer))
        let error = try failure { _ = try change(backend) }
        #expect(error.reason == reason)
        #expect(error.isAfterSuccess)
        error.expectMessage(in: "backends/kii", reason.rawValue)
    }

    // MARK: - Forgotten

    @Test(arguments: [
        ("ada@example.org", "EMAIL:ada%40example.org", "EMAIL"), ("+8190", "PHONE:%2B8190", "SMS"),
        ("PHONE:JP-0312345678", "PHONE:JP-0312345678", "SMS"), ("u-1", "u-1", "EMAIL"),
    ])
    func `a password-reset message is sent to an address or a phone`(address: String, segment: String, way: String)
        throws
    {
        let backend = KiiBackend.replaying(
            .kii(
                "POST users/\(segment)/password/request-reset", type: "ResetPassword",
                sending: #"{"notificationMethod":"\#(way)"}"#, 204))
        #expect(throws: Never.self) { try backend.resetPassword(email: address) }
    }

    @Test(arguments: [
        (404, KiiSample.error("USER_NOT_FOUND"), AuthError.Reason.notFound),
        (409, KiiSample.error("OPERATION_NOT_ALLOWED"), .forbidden),
        (409, KiiSample.error("INVALID_STATUS"), .emailUnverified),
        (401, KiiSample.error("USER_DISABLED"), .accountDisabled),
    ])
    func `a rejected password reset has the reason of its code`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = KiiBackend.replaying(
            .kii(
                "POST users/EMAIL:a%40x.org/password/request-reset", type: "ResetPassword",
                sending: #"{"notificationMethod":"EMAIL"}"#, status, answer))
        let error = try failure { try backend.resetPassword(email: "a@x.org") }
        #expect(error.reason == reason)
        error.expectMessage(in: "backends/kii", reason.rawValue)
    }

    // MARK: - Addresses

    @Test func `a verification e-mail is requested by a user or for an address`() throws {
        let backend = KiiBackend.replaying(
            .kii("POST users/me/email-address/resend-verification", as: "t1", 204),
            .kii("POST users/EMAIL:a%40x.org/email-address/resend-verification", 204),
            .kii(
                "POST users/me/email-address/resend-verification", as: "t1", 400,
                KiiSample.error("INVALID_ACCOUNT_STATUS")))
        #expect(try backend.sendVerification(email: "a@x.org", as: .session(.kii)).value)
        #expect(try backend.sendVerification(email: "a@x.org", as: .anonymous).value)
        #expect(try !backend.sendVerification(email: "a@x.org", as: .session(.kii)).value)
    }

    private static func verify(_ status: Int, _ answer: String) -> Exchange {
        .kii(
            "POST users/me/email-address/verify", type: "AddressVerification", sending: #"{"verificationCode":"1234"}"#,
            as: "t1", status, answer)
    }

    @Test(arguments: [
        (200, #"{"verificationStatus":"VERIFIED"}"#), (200, ""), (204, ""),
        (400, KiiSample.error("INVALID_ACCOUNT_STATUS")),
    ])
    func `a code verifies the address of a logged-in user`(status: Int, answer: String) throws {
        let backend = KiiBackend.replaying(Self.verify(status, answer))
        #expect(try backend.verifyEmail(key: "1234", as: .session(.kii)) == Reply(nil))
    }

    @Test func `a verification code needs a session`() throws {
        let error = try failure { _ = try KiiBackend.replaying().verifyEmail(key: "1234", as: .anonymous) }
        #expect(error.reason == .noSession)
        error.expectMessage(in: "backends/kii")
    }
}
