import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Password-reset and verification e-mails.
@Suite struct RestAuthMailTests {
    static let address = #"{"email":"a+b@example.org"}"#

    @Test func `a rest-auth verification e-mail is requested below the registration path set in the profile`() throws {
        for path in ["accounts/new", "accounts/new/"] {
            let backend = RestAuthBackend.replaying(
                paths: ["registrationPath": path], .post("accounts/new/resend-email/", Self.address, 200, "{}"))
            #expect(try backend.sendVerification(email: "a+b@example.org"))
        }
    }

    @Test func `a request for a rest-auth password-reset e-mail contains the address`() throws {
        let backend = RestAuthBackend.replaying(
            .post("password/reset/", Self.address, 200, #"{"detail":"Password reset e-mail has been sent."}"#))
        _ = try backend.resetPassword(email: "a+b@example.org")
    }

    @Test(arguments: [
        ("MQ:1xU:s-_g", "MQ:1xU:s-_g"), ("MQ%3A1xU%3As-_g", "MQ:1xU:s-_g"), ("MQ%3a1xU%3as", "MQ:1xU:s"),
        ("100%", "100%"), ("%zz%4", "%zz%4"), ("%ff", "%ff"), ("%+1", "%+1"), ("a+b", "a+b"),
    ])
    func `a rest-auth verification key is sent percent-decoded`(typed: String, sent: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"\#(sent)"}"#, 200, #"{"detail":"ok"}"#))
        try backend.verifyEmail(key: MailKey(typed))
    }

    @Test(arguments: [
        "https://app.example/verify-email/MQ:1xU:s-_g/", "https://app.example/verify?key=MQ%3A1xU%3As-_g&lang=de",
    ])
    func `the key of a rest-auth verification link is its key parameter or else its last segment`(link: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"MQ:1xU:s-_g"}"#, 200, #"{"detail":"ok"}"#))
        try backend.verifyEmail(key: MailKey(link))
    }

    private static func confirm(_ status: Int, _ answer: String) -> Exchange {
        let passwords = #""new_password1":"Third-plum-3","new_password2":"Third-plum-3""#
        return .post("password/reset/confirm/", #"{"uid":"1","token":"dicr11-1c73",\#(passwords)}"#, status, answer)
    }

    private static let link = "https://app.example/password-reset/confirm/1/dicr11-1c73/"

    @Test(arguments: [
        link, "https://app.example/reset?uid=1&token=dicr11-1c73",
        "https://app.example/accounts/password/reset/key/1-dicr11-1c73/",
    ])
    func `a rest-auth password reset sends the uid and the token of the link`(link: String) throws {
        let backend = RestAuthBackend.replaying(
            Self.confirm(200, #"{"detail":"Password has been reset with the new password."}"#))
        #expect(try backend.resetPassword(key: MailKey(link), to: Secret("Third-plum-3"), of: nil, pending: nil) == nil)
    }

    /// Source of the responses with status 400: dj-rest-auth 7.2.0.
    @Test(
        arguments: [
            (400, #"{"token":["Invalid value"]}"#, .notFound), (400, #"{"uid":["Invalid value"]}"#, .notFound),
            (
                400, #"{"new_password2":["This password is too short. It must contain at least 8 characters."]}"#,
                .weakPassword
            ), (404, "<h1>Not Found</h1>", .wrongEndpoint),
        ] as [(Int, String, AuthError.Reason)])
    func `a rejected rest-auth reset reports the reason`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = RestAuthBackend.replaying(Self.confirm(status, answer))
        let error = try failure {
            _ = try backend.resetPassword(key: MailKey(Self.link), to: Secret("Third-plum-3"), of: nil, pending: nil)
        }
        #expect(error.reason == reason)
        #expect((error.fields.map(\.field) == ["password"]) == (reason == .weakPassword))
    }

    @Test(arguments: ["dicr11-1c73", "https://app.example/reset", "https://app.example/key/x"])
    func `a rest-auth password reset requires a link with uid and token`(pasted: String) throws {
        let backend = RestAuthBackend.replaying()
        try failure {
            try backend.resetPassword(key: MailKey(pasted), to: Secret("new"), of: nil, pending: nil)
        }.expectMessage(in: "backends/rest-auth", pasted)
    }
}
