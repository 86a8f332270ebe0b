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

    @Test(arguments: [
        ("MQ:1xU:s-_g", "MQ:1xU:s-_g"), ("MQ%3A1xU%3As-_g", "MQ:1xU:s-_g"), ("MQ%3a1xU%3as", "MQ:1xU:s"),
        ("100%", "100%"), ("%zz%4", "%zz%4"), ("%ff", "%ff"), ("%+1", "%+1"), ("a+b", "a+b"),
    ])
    func `the key of a link is sent percent-decoded`(typed: String, sent: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"\#(sent)"}"#, 200, #"{"detail":"ok"}"#))
        try backend.verifyEmail(key: typed)
    }
}
