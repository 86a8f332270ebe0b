import AuthModel
import CommandTestSupport
import Testing

@testable import AuthBackends

@Suite struct AllauthPasswordTests {
    private func reset(_ status: Int, _ answer: String) throws -> Secret? {
        try AllauthBackend.replaying(
            .allauth("POST auth/password/request", sending: #"{"email":"a@b.c"}"#, status, answer)
        ).resetPassword(email: "a@b.c")
    }

    @Test func `an allauth password-reset request returns a token only if the reset uses a code`() throws {
        #expect(try reset(200, #"{"status":200}"#) == nil)
        #expect(try reset(401, AllauthSample.pending("password_reset_by_code", token: "p1")) == Secret("p1"))
    }

    /// Source of the responses: django-allauth 65.21.1.
    @Test(arguments: [409, 410])
    func `a 409 or 410 response to an allauth reset code means that no password reset is pending`(status: Int) throws {
        let answer = #"{"status":\#(status),"meta":{"is_authenticated":false}}"#
        let body = #"{"key":"MPDF","password":"new"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/password/reset", sending: body, as: .token("p1"), status, answer))
        let error = try failure {
            _ = try backend.resetPassword(key: "MPDF", to: Secret("new"), of: nil, pending: Secret("p1"))
        }
        #expect(error.reason == .notFound)
        error.expectMessage(in: "backends/allauth", "\(status)")
    }
}
