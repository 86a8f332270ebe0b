import AuthModel
import CommandTestSupport
import Testing

@testable import AuthBackends

@Suite struct AllauthPasswordTests {
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
