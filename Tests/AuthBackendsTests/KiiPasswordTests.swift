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

    @Test func `logs in again with the new one, since all sessions are over`() throws {
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
    func `logs in again by the address where there is no name`(user: String, login: String) throws {
        let reply = try change(.replaying(.kiiMe(200, user), Self.change(204), .kiiLogIn(login, "new")))
        #expect(reply.replacement == .kii)
    }

    @Test func `changes nothing where nobody could log in again`() throws {
        let error = try failure { _ = try change(.replaying(.kiiMe(200, #"{"userID":"u"}"#))) }
        #expect(error.reason == .unsupported)
        #expect(!error.isAfterSuccess)
    }

    @Test(arguments: [
        (401, KiiSample.error("WRONG_PASSWORD"), AuthError.Reason.wrongPassword),
        (400, KiiSample.error("PASSWORD_TOO_SHORT"), .weakPassword),
        (403, KiiSample.error("WRONG_TOKEN"), .sessionRevoked), (401, KiiSample.error("UNAUTHORIZED"), .sessionRevoked),
        (409, KiiSample.error("OPERATION_NOT_ALLOWED"), .forbidden), (400, KiiSample.error("NEW_CODE"), .invalidFields),
        (502, "", .outcomeUnknown), (500, "<html>", .outcomeUnknown), (503, "", .serverFault),
        (200, "<html>", .brokenAnswer),
    ])
    func `is not changed, or maybe, where the server says so`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let error = try failure { _ = try change(.replaying(.kiiMe(), Self.change(status, answer))) }
        #expect(error.reason == reason)
        #expect(!error.isAfterSuccess)
    }

    @Test(arguments: [
        (503, KiiSample.error("LOCK_FAILED"), AuthError.Reason.serverFault), (429, "", .rateLimited),
        (400, KiiSample.oauth("invalid_grant"), .wrongPassword), (200, "{}", .brokenAnswer),
    ])
    func `is said to be changed where logging in again fails`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = KiiBackend.replaying(.kiiMe(), Self.change(204), .kiiLogIn("ada", "new", status, answer))
        let error = try failure { _ = try change(backend) }
        #expect(error.reason == reason)
        #expect(error.isAfterSuccess)
        #expect(
            error.message.hasPrefix(
                "the password was changed and all sessions are over, but logging in again failed: "))
    }

    // MARK: - Forgotten

    @Test(arguments: [
        ("ada@example.org", "EMAIL:ada%40example.org", "EMAIL"), ("+8190", "PHONE:%2B8190", "SMS"),
        ("PHONE:JP-0312345678", "PHONE:JP-0312345678", "SMS"), ("u-1", "u-1", "EMAIL"),
    ])
    func `has a message sent to the address`(address: String, segment: String, way: String) throws {
        let backend = KiiBackend.replaying(
            .kii(
                "POST users/\(segment)/password/request-reset", type: "ResetPassword",
                sending: #"{"notificationMethod":"\#(way)"}"#, 204))
        #expect(throws: Never.self) { try backend.resetPassword(email: address) }
    }

    @Test(arguments: [
        (404, KiiSample.error("USER_NOT_FOUND"), AuthError.Reason.notFound, "nobody has that address"),
        (409, KiiSample.error("OPERATION_NOT_ALLOWED"), .forbidden, "the account has no password"),
        (
            409, KiiSample.error("INVALID_STATUS"), .emailUnverified,
            "the address is not verified, so nothing is sent to it"
        ),
        (401, KiiSample.error("USER_DISABLED"), .accountDisabled, "the account is disabled"),
        (
            504, "", .outcomeUnknown, "the answer was lost: a gateway with status 504 came"
        ),
    ])
    func `says why no message is sent`(
        status: Int, answer: String, reason: AuthError.Reason, message: String
    ) throws {
        let backend = KiiBackend.replaying(
            .kii(
                "POST users/EMAIL:a%40x.org/password/request-reset", type: "ResetPassword",
                sending: #"{"notificationMethod":"EMAIL"}"#, status, answer))
        let error = try failure { try backend.resetPassword(email: "a@x.org") }
        #expect(error.reason == reason)
        #expect(error.message == message)
    }

    // MARK: - Addresses

    @Test func `has the mail sent that verifies an address, as a user or as nobody`() throws {
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
    func `verifies an address`(status: Int, answer: String) throws {
        let backend = KiiBackend.replaying(Self.verify(status, answer))
        #expect(try backend.verifyEmail(key: "1234", as: .session(.kii)) == Reply(nil))
    }

    @Test(arguments: [
        (403, KiiSample.error("INVALID_VERIFICATION_CODE"), AuthError.Reason.wrongCode),
        (404, KiiSample.error("VERIFICATION_CODE_NOT_FOUND"), .notFound),
        (410, KiiSample.error("PHONE_NUMBER_VERIFICATION_CODE_EXPIRED"), .notFound),
        (403, KiiSample.error("WRONG_TOKEN"), .sessionRevoked), (502, "", .outcomeUnknown),
    ])
    func `says why an address is not verified`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = KiiBackend.replaying(Self.verify(status, answer))
        #expect(try failure { _ = try backend.verifyEmail(key: "1234", as: .session(.kii)) }.reason == reason)
    }

    @Test func `asks nothing where nobody is logged in whose address it could be`() throws {
        let error = try failure { _ = try KiiBackend.replaying().verifyEmail(key: "1234", as: .anonymous) }
        #expect(error.reason == .noSession)
    }
}
