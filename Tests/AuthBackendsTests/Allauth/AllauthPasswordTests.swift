import AuthModel
import CommandTestSupport
import Testing

@testable import AuthBackends

@Suite struct AllauthPasswordTests {
    @Test(arguments: [
        (
            400, AllauthSample.fault("enter_current_password", "current_password"), AuthError.Reason.wrongPassword,
            "currentPassword"
        ),
        (400, AllauthSample.fault("password_too_short", "new_password"), .weakPassword, "password"),
        (401, AllauthSample.reauthentication, .reauthenticationRequired, ""),
    ])
    func `a rejected password change has the reason and the field of its code`(
        status: Int, answer: String, reason: AuthError.Reason, field: String
    ) throws {
        let body = #"{"current_password":"old","new_password":"new"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST account/password/change", sending: body, as: .token("s1"), status, answer))
        let error = try failure {
            _ = try backend.changePassword(from: Secret("old"), to: Secret("new"), of: .allauthOld)
        }
        #expect(error.reason == reason)
        #expect(error.fields.map(\.field) == (field.isEmpty ? [] : [field]))
    }

    private func reset(_ status: Int, _ answer: String) throws {
        try AllauthBackend.replaying(
            .allauth("GET config", 200, AllauthSample.site),
            .allauth("POST auth/password/request", sending: #"{"email":"a@b.c"}"#, status, answer)
        ).resetPassword(email: "a@b.c")
    }

    @Test(arguments: [(200, #"{"status":200}"#), (401, AllauthSample.pending("password_reset_by_code"))])
    func `a password-reset e-mail is requested`(status: Int, answer: String) {
        #expect(throws: Never.self) { try reset(status, answer) }
    }

    @Test func `a site that mails codes cannot reset a password`() throws {
        let site = #"{"status":200,"data":{"account":{"password_reset_by_code_enabled":true}}}"#
        let backend = AllauthBackend.replaying(.allauth("GET config", 200, site))
        let error = try failure { try backend.resetPassword(email: "a@b.c") }
        #expect(error.reason == .unsupported)
        error.expectMessage(in: "backends/allauth")
    }
}
