import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Mails, and what is in them.
@Suite struct RestAuthMailTests {
    static let address = #"{"email":"a+b@example.org"}"#

    @Test func `asks below the path that the profile names, with or without its last slash`() throws {
        for path in ["accounts/new", "accounts/new/"] {
            let backend = RestAuthBackend.replaying(
                paths: ["registrationPath": path], .post("accounts/new/resend-email/", Self.address, 200, "{}"))
            #expect(try backend.sendVerification(email: "a+b@example.org"))
        }
    }

    @Test func `has the mail for a new password sent, and does not hear whether anybody got it`() throws {
        let backend = RestAuthBackend.replaying(
            .post("password/reset/", Self.address, 200, #"{"detail":"Password reset e-mail has been sent."}"#))
        try backend.resetPassword(email: "a+b@example.org")
    }

    @Test(arguments: [
        (400, #"{"email":["Enter a valid email address."]}"#, AuthError.Reason.invalidFields),
        (500, "<html>", .serverFault), (504, "", .outcomeUnknown), (404, "<html>", .wrongEndpoint),
    ])
    func `says why no mail for a new password went out`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = RestAuthBackend.replaying(.post("password/reset/", Self.address, status, answer))
        #expect(try failure { try backend.resetPassword(email: "a+b@example.org") }.reason == reason)
    }

    @Test func `has the mail that confirms an address sent again`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/resend-email/", Self.address, 200, #"{"detail":"ok"}"#))
        #expect(try backend.sendVerification(email: "a+b@example.org"))
    }

    @Test func `knows that the older package sends no mail again`() throws {
        let backend = RestAuthBackend.replaying(.post("registration/resend-email/", Self.address, 404, "<html>"))
        let error = try failure { _ = try backend.sendVerification(email: "a+b@example.org") }
        #expect(error.reason == .unsupported)
        #expect(error.outcome.exitCode == 10)
    }

    @Test(arguments: [
        ("MQ:1xU:s-_g", "MQ:1xU:s-_g"), ("MQ%3A1xU%3As-_g", "MQ:1xU:s-_g"), ("MQ%3a1xU%3as", "MQ:1xU:s"),
        ("100%", "100%"), ("%zz%4", "%zz%4"), ("%ff", "%ff"), ("%+1", "%+1"), ("a+b", "a+b"),
    ])
    func `confirms an address with the key as it stands in the link`(typed: String, sent: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"\#(sent)"}"#, 200, #"{"detail":"ok"}"#))
        try backend.verifyEmail(key: typed)
    }

    @Test(arguments: [
        (404, #"{"detail":"Not found."}"#, AuthError.Reason.notFound), (404, "<html>", .unsupported),
        (400, #"{"key":["This field may not be blank."]}"#, .invalidFields), (500, "<html>", .serverFault),
    ])
    func `says why an address is not confirmed`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"k"}"#, status, answer))
        #expect(try failure { try backend.verifyEmail(key: "k") }.reason == reason)
    }
}
