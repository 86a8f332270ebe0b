import CommandTestSupport
import Foundation

@testable import AuthBackends

@Suite struct ParsePasswordTests {
    static let me = Exchange(Exchange.currentUserRequest, 200, #"{"objectId":"u/1","username":"ada"}"#)

    static let checkRequest = """
        POST https://a.example/parse/verifyPassword
        X-Parse-Application-Id: app
        Content-Type: application/json

        {"username":"ada","password":"old"}
        """

    static let check = Exchange(checkRequest, 200, #"{"objectId":"u/1","username":"ada"}"#)

    /// The response of Parse Server before 7.1, which has no POST route `verifyPassword`.
    static let noCheck = Exchange(
        checkRequest, 404, "<!DOCTYPE html><pre>Cannot POST /parse/verifyPassword</pre>")

    static let trialRequest = """
        POST https://a.example/parse/login
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"username":"ada","password":"old"}
        """

    static let trialEnd = Exchange(
        """
        POST https://a.example/parse/logout
        X-Parse-Application-Id: app
        X-Parse-Session-Token: r:trial
        Content-Type: application/json

        {}
        """, 200, "{}")

    static let change = Exchange(
        changeRequest, 200, #"{"updatedAt":"2026-01-02T03:04:05.678Z","sessionToken":"r:new"}"#)

    static let changeRequest = """
        PUT https://a.example/parse/users/u%2F1
        X-Parse-Application-Id: app
        X-Parse-Session-Token: r:abc
        Content-Type: application/json

        {"password":"n\\"ew"}
        """

    static let resetRequest = """
        POST https://a.example/parse/requestPasswordReset
        X-Parse-Application-Id: app
        Content-Type: application/json

        {"email":"ada@example.org"}
        """

    static let verifyRequest = """
        POST https://a.example/parse/verificationEmailRequest
        X-Parse-Application-Id: app
        Content-Type: application/json

        {"email":"ada@example.org"}
        """

    @Test func `a Parse password change checks the current password with verifyPassword`() throws {
        let backend = ParseBackend.replaying(Self.me, Self.check, Self.change)
        let reply = try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .abc)
        expect(reply.replacement, Session(token: Secret("r:new")))
    }

    @Test func `before Parse Server 7.1, a password change checks the old password with a temporary login`() throws {
        let trial = Exchange(Self.trialRequest, 200, #"{"objectId":"u/1","sessionToken":"r:trial"}"#)
        let backend = ParseBackend.replaying(Self.me, Self.noCheck, trial, Self.trialEnd, Self.change)
        let reply = try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .abc)
        expect(reply.replacement, Session(token: Secret("r:new")))
    }

    /// Parse Server sends these errors only if the password is correct. They are recorded in `Exchanges`.
    @Test(arguments: [
        (true, #"{"code":205,"error":"User email is not verified."}"#),
        (false, #"{"code":205,"error":"User email is not verified."}"#),
        (false, #"{"code":-1,"error":"Missing additional authData mfa"}"#),
    ])
    func `a password check succeeds if only e-mail verification or a second factor is missing`(
        hasCheck: Bool, answer: String
    ) throws {
        let backend =
            hasCheck
            ? ParseBackend.replaying(Self.me, Exchange(Self.checkRequest, 400, answer), Self.change)
            : ParseBackend.replaying(Self.me, Self.noCheck, Exchange(Self.trialRequest, 400, answer), Self.change)
        let reply = try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .abc)
        expect(reply.replacement, Session(token: Secret("r:new")))
    }

    @Test(arguments: [true, false])
    func `a Parse password change with a wrong current password changes nothing`(hasCheck: Bool) throws {
        let answer = #"{"code":101,"error":"Invalid username/password."}"#
        let backend =
            hasCheck
            ? ParseBackend.replaying(Self.me, Exchange(Self.checkRequest, 404, answer))
            : ParseBackend.replaying(Self.me, Self.noCheck, Exchange(Self.trialRequest, 404, answer))
        try failure {
            try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .abc)
        }.expectMessage(in: "backends/parse", hasCheck ? "by the server" : "by a login")
    }

    @Test func `a password change of a local account requests the id and the expiry of the new session`() throws {
        let row = #"{"objectId":"s2","expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05Z"}}"#
        let backend = ParseBackend.replaying(
            isEmbedded: true, Self.me, Self.check,
            Exchange(Self.changeRequest, 200, #"{"sessionToken":"r:new"}"#),
            Exchange(Exchange.currentSessionRequest.replacingOccurrences(of: "r:abc", with: "r:new"), 200, row))
        let reply = try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .abc)
        expect(reply.replacement, Session(token: Secret("r:new"), id: "s2", expiresAt: .sampleEnd))
    }

    @Test func `a Parse password change keeps the session if the response has no new token`() throws {
        let backend = ParseBackend.replaying(
            Self.me, Self.check, Exchange(Self.changeRequest, 200, #"{"updatedAt":"x"}"#))
        try expect(
            backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .abc).replacement, nil)
    }

    @Test func `a Parse password change fails if the server returns no user id`() throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, 200, #"{"username":"ada"}"#))
        let error = try failure {
            _ = try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .abc)
        }
        expect(error.reason, .invalidResponse)
    }

    @Test(arguments: [
        (200, "{}", true),
        (400, #"{"code":-1,"error":"Email ada@example.org is already verified."}"#, false),
    ])
    func `a Parse verification e-mail for a verified address is reported as not sent`(
        status: Int, answer: String, wasSent: Bool
    ) throws {
        let backend = ParseBackend.replaying(Exchange(Self.verifyRequest, status, answer))
        try expect(backend.sendVerification(email: "ada@example.org", as: .anonymous).value, wasSent)
    }

    @Test func `a request for a Parse password-reset e-mail contains the address`() throws {
        let backend = ParseBackend.replaying(Exchange(Self.resetRequest, 200, "{}"))
        #expect(throws: Never.self) { _ = try backend.resetPassword(email: "ada@example.org") }
    }

    private static let keyRequest = "GET https://a.example/parse/apps/app/verify_email?token=0f%203a"

    @Test func `verify-email with a token verifies the address of a local account`() throws {
        let backend = ParseBackend.replaying(isEmbedded: true, Exchange(Self.keyRequest, 200, "<html>"))
        try expect(backend.verify("0f 3a", VerificationProof()).value, .done)
        let refused = ParseBackend.replaying(isEmbedded: true, Exchange(Self.keyRequest, 400, "<html>"))
        try failure { _ = try refused.verify("0f 3a", VerificationProof()) }.expectMessage(in: "backends/parse")
    }

    /// HTML pages of Parse Server (versions 3 to 8, and 9.5.1) and of `authctl serve`, then unexpected responses.
    @Test(
        arguments: [
            (200, "<h1>Successfully verified your email!</h1>", nil),
            (200, "<h1>Invalid Verification Link</h1>", .notFound),
            (200, "<h1>My app</h1><h1>Email verified!</h1>", nil),
            (200, "<h1>My app</h1><h1>Invalid verification link!</h1>", .notFound),
            (200, "<h1>Verified app</h1><h1>Expired verification link!</h1>", .notFound),
            (200, "<h1>E-mail address verified</h1>", nil), (400, "<h1>This link does not work</h1>", .notFound),
            (200, "<style>input:invalid{}</style><h1>Email verified!</h1>", nil),
            (200, "<h1>Your email could not be verified</h1>", .invalidResponse),
            (403, #"{"error":"unauthorized"}"#, .badAppKey), (404, "<pre>Cannot GET /x</pre>", .wrongEndpoint),
            (502, "<h1>Bad Gateway</h1>", .serverFault),
        ] as [(Int, String, AuthError.Reason?)])
    func `the HTML page behind a verification link shows whether Parse Server has verified the address`(
        status: Int, page: String, reason: AuthError.Reason?
    ) throws {
        let backend = ParseBackend.replaying(
            Exchange("\(Self.keyRequest)&username=ada%20l", status, page))
        let link = "https://mail.example/parse/apps/app/verify_email?token=0f%203a&username=ada%20l"
        guard let reason else { return try expect(backend.verify(MailKey(link), VerificationProof()).value, .done) }
        let error = try failure { _ = try backend.verify(MailKey(link), VerificationProof()) }
        expect(error.reason, reason)
        if reason == .invalidResponse { error.expectMessage(in: "backends/parse") }
    }

    /// The targets of Parse Server 3 to 9, of sites with pages of their own, and of a server with another URL.
    @Test(
        arguments: [
            (302, "http://other.example/parse/apps/verify_email_success.html?username=ada", nil),
            (303, "/apps/de/email_verification_success.html", nil),
            (302, "http://other.example/apps/invalid_verification_link.html?appId=app&token=bad", .notFound),
            (302, "https://a.example/parse/apps/invalid_link.html", .notFound),
            (303, "https://a.example/apps/email_verification_link_expired.html", .notFound),
            (303, "https://shop.example/verified?appId=app", .invalidResponse), (302, "", .invalidResponse),
            (301, "https://b.example/parse/apps/app/verify_email?token=0f%203a", .invalidResponse),
        ] as [(Int, String, AuthError.Reason?)])
    func `the name of the page that Parse Server redirects to tells whether the address is verified`(
        status: Int, location: String, reason: AuthError.Reason?
    ) throws {
        let backend = ParseBackend.replaying(
            Exchange(
                "\(Self.keyRequest)&username=a%2B1", status, "", headers: location == "" ? [:] : ["Location": location])
        )
        let link: MailKey = "https://mail.example/parse/apps/app/verify_email?token=0f%203a&username=a+1"
        guard let reason else { return try expect(backend.verify(link, VerificationProof()).value, .done) }
        try expect(failure { _ = try backend.verify(link, VerificationProof()) }.reason, reason)
    }

    @Test func `a verification link without a username is sent with that of the current user`() throws {
        let page = Exchange("\(Self.keyRequest)&username=ada", 404, "Not found.")
        var key: MailKey = "https://mail.example/parse/apps/app/verify_email?token=0f%203a&username=undefined"
        key.owner = "ada"
        // The server lacks the page, but has checked the link.
        let error = try failure { _ = try ParseBackend.replaying(page).verify(key, VerificationProof()) }
        expect(error.reason, .invalidResponse)
    }

    @Test func `verify-email with a link verifies the address of a local account`() throws {
        let backend = ParseBackend.replaying(isEmbedded: true, Exchange(Self.keyRequest, 200, "<html>"))
        try expect(
            backend.verify("http://127.0.0.1:1337/parse/apps/app/verify_email?token=0f%203a", VerificationProof())
                .value, .done)
    }

    @Test func `a verification link for a different application is rejected before any request`() throws {
        let backend = ParseBackend.replaying()
        try failure {
            _ = try backend.verify("https://a.example/parse/apps/other/verify_email?token=0f", VerificationProof())
        }.expectMessage(in: "backends/parse")
    }

    @Test func `verify-email on a Parse Server rejects a token without the rest of the link`() throws {
        let backend = ParseBackend.replaying()
        try failure { _ = try backend.verify("0f 3a", VerificationProof()) }.expectMessage(in: "backends/parse")
    }
}
