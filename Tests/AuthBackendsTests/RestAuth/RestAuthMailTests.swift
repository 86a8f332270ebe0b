import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Password-reset and verification e-mails.
@Suite struct RestAuthMailTests {
    static let address = #"{"email":"a+b@example.org"}"#

    @Test func `e-mail views are below the registration path of the profile`() throws {
        for path in ["accounts/new", "accounts/new/"] {
            let backend = RestAuthBackend.replaying(
                paths: ["registrationPath": path], .post("accounts/new/resend-email/", Self.address, 200, "{}"))
            #expect(try backend.sendVerification(email: "a+b@example.org"))
        }
    }

    @Test func `a password-reset e-mail is requested`() throws {
        let backend = RestAuthBackend.replaying(
            .post("password/reset/", Self.address, 200, #"{"detail":"Password reset e-mail has been sent."}"#))
        try backend.resetPassword(email: "a+b@example.org")
    }

    @Test func `a verification e-mail is requested again`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/resend-email/", Self.address, 200, #"{"detail":"ok"}"#))
        #expect(try backend.sendVerification(email: "a+b@example.org"))
    }

    @Test func `the older package cannot send a verification e-mail again`() throws {
        let backend = RestAuthBackend.replaying(.post("registration/resend-email/", Self.address, 404, "<html>"))
        let error = try failure { _ = try backend.sendVerification(email: "a+b@example.org") }
        #expect(error.reason == .unsupported)
        #expect(error.outcome.exitCode == 10)
    }

    @Test(arguments: [
        ("MQ:1xU:s-_g", "MQ:1xU:s-_g"), ("MQ%3A1xU%3As-_g", "MQ:1xU:s-_g"), ("MQ%3a1xU%3as", "MQ:1xU:s"),
        ("100%", "100%"), ("%zz%4", "%zz%4"), ("%ff", "%ff"), ("%+1", "%+1"), ("a+b", "a+b"),
    ])
    func `the key of a link is sent percent-decoded`(typed: String, sent: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"\#(sent)"}"#, 200, #"{"detail":"ok"}"#))
        try backend.verifyEmail(key: typed)
    }

    @Test(arguments: [
        (404, #"{"detail":"Not found."}"#, AuthError.Reason.notFound), (404, "<html>", .unsupported),
        (400, #"{"key":["This field may not be blank."]}"#, .invalidFields),
    ])
    func `an unknown key is not found, and a missing view is unsupported`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"k"}"#, status, answer))
        #expect(try failure { try backend.verifyEmail(key: "k") }.reason == reason)
    }
}
