import CommandTestSupport

@testable import AuthBackends

/// Password-reset and verification e-mails.
@Suite struct RestAuthMailTests {
    static let address = #"{"email":"a+b@example.org"}"#

    @Test func `a rest-auth verification e-mail is requested below the registration path set in the profile`() throws {
        for path in ["accounts/new", "accounts/new/"] {
            let backend = RestAuthBackend.replaying(
                paths: ["registrationPath": path], .post("accounts/new/resend-email/", Self.address, 200, "{}"))
            #expect(try backend.sendVerification(email: "a+b@example.org", as: .anonymous).value)
        }
    }

    /// Source: dj-rest-auth 7.2.0 with each view at its own path.
    @Test func `a rest-auth request goes to the path of its view that is set in the profile`() throws {
        let paths = [
            "loginPath": "login", "logoutPath": "logout", "userPath": "me", "passwordChangePath": "password-change/",
            "passwordResetPath": "password-reset/", "passwordResetConfirmPath": "reset-confirm/",
            "verifyEmailPath": "verify/", "resendEmailPath": "resend/", "registrationPath": "register",
        ]
        let passwords = #""new_password1":"Third-plum-3","new_password2":"Third-plum-3""#
        let done = #"{"detail":"ok"}"#
        let backend = RestAuthBackend.replaying(
            paths: paths, .post("register", RestAuthSignUpTests.body, 201, RestAuthSample.key),
            .get("me", as: "Token 0a1b", 200, RestAuthSample.user),
            .post("login", RestAuthLogInTests.byName, 200, RestAuthSample.pair),
            .get("me", as: "Bearer \(RestAuthSample.access)", 200, RestAuthSample.user),
            .get("me", as: "Token 0a1b", 200, RestAuthSample.user),
            .post("login", RestAuthPasswordTests.trialBody, 200, RestAuthSample.key),
            .post("password-change/", RestAuthPasswordTests.changeBody, as: "Token 0a1b", 200, done),
            .get("me", as: "Token 0a1b", 200, RestAuthSample.user),
            .post("password-reset/", Self.address, 200, done),
            .post("reset-confirm/", #"{"uid":"MQ","token":"\#(Self.token)",\#(passwords)}"#, 200, done),
            .post("verify/", #"{"key":"7f3a"}"#, 200, done), .post("resend/", Self.address, 200, done),
            .post("logout", "{}", as: "Token 0a1b", 200, done),
            .get("me", as: "Token 0a1b", 401, #"{"detail":"Invalid token."}"#))
        _ = try backend.signUp(RestAuthSignUpTests.account)
        _ = try backend.logIn(.typed("ada"))
        _ = try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .key)
        _ = try backend.resetPassword(email: "a+b@example.org")
        _ = try backend.resetPassword(
            key: MailKey(Self.link), to: Secret("Third-plum-3"), of: nil, pending: nil)
        _ = try backend.verify(MailKey("7f3a"), VerificationProof())
        _ = try backend.sendVerification(email: "a+b@example.org", as: .anonymous)
        try expect(backend.logOut(.key).value, .yes)
    }

    @Test(arguments: [(405, nil), (404, 404), (404, 401)] as [(Int, Int?)])
    func `a missing rest-auth view is unsupported and its setting is named, unless the usual views are missing, too`(
        login: Int, user: Int?
    ) throws {
        let view = user.map { Exchange.get("user/", $0, "<h1>No</h1>") }
        let backend = RestAuthBackend.replaying(
            atSite: false,
            [
                .post("password/reset/", Self.address, 404, "<h1>No</h1>"), .get("login/", login, "<h1>No</h1>"), view,
            ].compactMap(\.self))
        let error = try failure { _ = try backend.resetPassword(email: "a+b@example.org") }
        expect(error.reason, (user == 404 ? .wrongEndpoint : .unsupported))
        expect(error.nextSteps.contains { $0.command.contains("passwordResetPath") }, (user != 404))
    }

    @Test(arguments: [(404, AuthError.Reason.wrongEndpoint), (401, .unsupported)])
    func `a missing rest-auth login view is unsupported and its setting is named if the user view exists`(
        user: Int, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(
            atSite: false,
            [.post("login/", RestAuthLogInTests.byName, 404, "<h1>No</h1>"), .get("user/", user, "<h1>No</h1>")])
        let error = try failure { _ = try backend.logIn(.typed("ada")) }
        expect(error.reason, reason)
        expect(error.nextSteps.contains { $0.command.contains("loginPath") }, (user == 401))
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
        _ = try backend.verify(MailKey(typed), VerificationProof())
    }

    private static let key = "MQ:1xWhFC:Pt_aqc1RXHoxI1x_jqbCdj_8fNMJ1kJ-NRFwvkshjb8"

    @Test(arguments: [
        "verify-email/\(key)/", "verify?key=MQ%3A1xWhFC%3APt_aqc1RXHoxI1x_jqbCdj_8fNMJ1kJ-NRFwvkshjb8&lang=de",
        "verify?token=\(key)", "verify?k=\(key)&code=de", "verify#\(key)", "verify/\(key)/confirm", "#/verify/\(key)/",
        "verify/\(key)/address/",
    ])
    func `the key of a rest-auth verification link is recognized by its form`(link: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"\#(Self.key)"}"#, 200, #"{"detail":"ok"}"#))
        _ = try backend.verify(MailKey("https://app.example/\(link)"), VerificationProof())
    }

    @Test(arguments: ["verify?token=7f3a", "verify?key=7f3a", "verify/\(String(repeating: "7f3a", count: 16))"])
    func `the key of a rest-auth verification link is a named parameter or a segment of 64 characters`(
        link: String
    ) throws {
        let key = link.hasSuffix("=7f3a") ? "7f3a" : String(repeating: "7f3a", count: 16)
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"\#(key)"}"#, 200, #"{"detail":"ok"}"#))
        _ = try backend.verify(MailKey("https://app.example/\(link)"), VerificationProof())
    }

    @Test(arguments: [
        "verify", "verify/", "verify?utm_source=mail", "accounts/confirm-email/", "password/reset/confirm/",
    ])
    func `no word in the path of a link is sent as a rest-auth key`(link: String) throws {
        let backend = RestAuthBackend.replaying()
        let key = MailKey("https://app.example/\(link)")
        let error = try failure { _ = try backend.verify(key, VerificationProof()) }
        expect(error.reason, .usage)
        expect(error.message, "the link contains no key")
        try expect(
            failure {
                try backend.resetPassword(key: key, to: Secret("Third-plum-3"), of: nil, pending: nil)
            }.reason, .usage)
    }

    private static func confirm(_ status: Int, _ answer: String) -> Exchange {
        let passwords = #""new_password1":"Third-plum-3","new_password2":"Third-plum-3""#
        return .post("password/reset/confirm/", #"{"uid":"MQ","token":"\#(token)",\#(passwords)}"#, status, answer)
    }

    private static let token = "dio6zu-4918f0070819c8b1d8aa74e2d10bead7"
    private static let link = "https://app.example/password-reset/confirm/MQ/\(token)/"

    @Test(arguments: [
        link, "https://app.example/reset?uid=MQ&token=\(token)", "https://app.example/reset?uidb64=MQ&token=\(token)",
        "https://app.example/reset?token=\(token)&id=MQ", "https://app.example/reset?user=MQ&token=\(token)",
        "https://app.example/reset#uid=MQ&token=\(token)", "https://app.example/reset?key=MQ-\(token)",
        "https://app.example/accounts/password/reset/key/MQ-\(token)/", "https://app.example/reset/MQ:\(token)",
        "https://app.example/reset/uid/MQ/token/\(token)", "https://app.example/#/reset/MQ/\(token)?lang=de",
        "https:&#x2F;&#x2F;app.example/reset?uid&#x3D;MQ&amp;token&#61;\(token)", "MQ-\(token)", "MQ\n\(token)\n",
        "uid: MQ\ntoken: \(token)",
    ])
    func `a rest-auth password reset sends the uid and the token of the link`(link: String) throws {
        let backend = RestAuthBackend.replaying(
            Self.confirm(200, #"{"detail":"Password has been reset with the new password."}"#))
        try expect(backend.resetPassword(key: MailKey(link), to: Secret("Third-plum-3"), of: nil, pending: nil), nil)
    }

    /// Source of the responses with status 400: dj-rest-auth 7.2.0.
    @Test(
        arguments: [
            (400, #"{"token":["Invalid value"]}"#, .notFound), (400, #"{"uid":["Invalid value"]}"#, .notFound),
            (
                400, #"{"new_password2":["This password is too short. It must contain at least 8 characters."]}"#,
                .weakPassword
            ),
        ] as [(Int, String, AuthError.Reason)])
    func `a rejected rest-auth reset reports the reason`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = RestAuthBackend.replaying(Self.confirm(status, answer))
        let error = try failure {
            _ = try backend.resetPassword(key: MailKey(Self.link), to: Secret("Third-plum-3"), of: nil, pending: nil)
        }
        expect(error.reason, reason)
        expect((error.fields.map(\.field) == ["password"]), (reason == .weakPassword))
    }

    @Test(arguments: [
        token, "https://app.example/reset", "https://app.example/key/x", "https://app.example/reset/token/\(token)",
    ])
    func `a rest-auth password reset requires a link with uid and token`(pasted: String) throws {
        let backend = RestAuthBackend.replaying()
        try failure {
            try backend.resetPassword(key: MailKey(pasted), to: Secret("new"), of: nil, pending: nil)
        }.expectMessage(in: "backends/rest-auth", pasted)
    }
}
