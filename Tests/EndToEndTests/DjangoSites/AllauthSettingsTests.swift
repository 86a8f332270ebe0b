import Foundation
import TestSupport

/// allauth sites with settings that its documentation names; see `accounts.py` and `allauth_parts.py`.
@Suite(.mostlyWaits, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed)) struct AllauthSettingsTests {
    private func site(_ settings: String, _ mode: String = "none", language: String? = nil) throws -> DjangoServer {
        var environment = ["SITE_SETTINGS": "{\(settings)}"]
        if let language {
            environment["SITE_LANGUAGE"] = language
            environment["SITE_MIDDLEWARE"] = "-django.middleware.locale.LocaleMiddleware"
        }
        return try DjangoServer(.allauth, mode, environment: environment)
    }

    private static func own(_ strategy: String) -> String {
        #"""
        "HEADLESS_TOKEN_STRATEGY":"allauth_parts.\#(strategy)","REST_FRAMEWORK":{"DEFAULT_AUTHENTICATION_CLASSES":
        ["rest_framework_simplejwt.authentication.JWTAuthentication"]}
        """#
    }

    @Test(
        arguments: [
            (#""HEADLESS_JWT_AUTHORIZATION_HEADER_SCHEME":"JWT""#, "jwt", "JWT", true),
            (own("SimpleTokens"), "none", nil, false), (own("RefreshableTokens"), "none", nil, true),
        ] as [(String, String, String?, Bool)])
    func `an access token of a site's own is for the rest of the site, and the session token for allauth`(
        settings: String, mode: String, word: String?, isRefreshable: Bool
    ) throws {
        let server = try site(settings, mode)
        let world = try Sandbox(visiting: server, as: "ada")
        try expect(world.logIn("ada").exitCode, 0)
        try expect(world.run("whoami").exitCode, 0)
        if let word {
            let refused = try world.run("api", "/api/items/")
            expect(refused.exitCode, 4)
            #expect(refused.stderr.contains("authctl profile set site tokenScheme WORD"))
            try expect(world.run("profile", "set", "site", "tokenScheme", word).exitCode, 0)
        }
        try expect(world.run("api", "/api/items/").exitCode, 0)
        #expect(try world.run("token", "--json").document().string("expiresAt") != nil)
        try expect(world.changePassword().exitCode, 0)
        let access = try world.token("site")
        try world.letSessionRunOut("site")
        try expect(world.run("whoami").exitCode, 0)
        try expect(world.run("token").exitCode, (isRefreshable ? 0 : 4))
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
        let late = try world.run(
            "whoami",
            environment: ["AUTHCTL_TOKEN": access, "AUTHCTL_BACKEND": "allauth", "AUTHCTL_SERVER": server.url])
        expect(late.exitCode, 4)
    }

    @Test func `a site that requires a recent login gets the password before each change`() throws {
        let world = try Sandbox(visiting: site(#""ACCOUNT_REAUTHENTICATION_REQUIRED":true"#), as: "ada")
        try world.write(#"{"id":"7","email":"ada@example.org"}"#, to: "\(world.root)/id")
        for change in [
            ["account", "update", "--email", "new@example.com"],
            ["link", "dummy", "--id-token-file", "\(world.root)/id"],
            ["link", "dummy", "--unlink", "--force"],
        ] {
            try expect(world.logIn("ada").exitCode, 0)
            try world.start(change + ["--json"]).wait().refusal(5, "reauthentication-required")
            let done = try world.start(change + ["--password-stdin"], input: .password).wait()
            expect(done.exitCode, 0, "\(done.everything)")
        }
    }

    /// Source: django-allauth, `ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE` and `SOCIALACCOUNT_AUTO_SIGNUP`.
    @Test(arguments: ["none", "jwt"])
    func `a 401 that confirms a password change or asks for a signup is not taken for a refusal`(mode: String) throws {
        let server = try site(
            #""ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE":true,"SOCIALACCOUNT_AUTO_SIGNUP":false"#, mode)
        let world = try Sandbox(visiting: server, as: "ada")
        try expect(world.changePassword().exitCode, 0)
        try expect(world.run("api", "/api/items/").exitCode, 0)
        for (id, email, code) in [("7", "eve@example.org", Int32(0)), ("8", "eve@example.org", 6)] {
            try world.write(#"{"id":"\#(id)","email":"\#(email)","username":"eve\#(id)"}"#, to: "\(world.root)/id")
            let login = try world.run("login", "--provider", "dummy", "--id-token-file", "\(world.root)/id")
            expect(login.exitCode, code, "\(login.everything)")
        }
    }

    @Test func `a code that each login requires is mailed once and finishes the login`() throws {
        let server = try site(#""ACCOUNT_LOGIN_BY_CODE_ENABLED":true,"ACCOUNT_LOGIN_BY_CODE_REQUIRED":true"#)
        let world = try Sandbox(visiting: server)
        #expect(try world.signUp("ada", "--email", "ada@example.com", "--json").document().string("pending") != nil)
        try world.logIn("ada", "--json").refusal(5, "second-factor-required")
        let code = try #require(server.mails.last?.code)
        try expect(world.run("login", "--otp", code).exitCode, 0)
        expect(server.mails.count, 2)
    }

    /// Three wrong codes end the login.
    @Test func `a code in place of a password logs in to an allauth site, and finishes a signup without a password`()
        throws
    {
        let server = try DjangoServer(
            .allauth, "mandatory-code",
            environment: [
                "SITE_MAILS": "django.core.mail.backends.filebased.EmailBackend",
                "SITE_SETTINGS": #"""
                {"ACCOUNT_LOGIN_BY_CODE_ENABLED":true,"ACCOUNT_SIGNUP_FIELDS":["email*"],
                "ACCOUNT_RATE_LIMITS":{"request_login_code":"8/h/key"}}
                """#,
            ])
        let world = try Sandbox(visiting: server)
        try expect(world.run("profile", "set", "site", "mailDir", "\(server.world.root)/mails").exitCode, 0)
        let ada = "ada@example.com"
        let signup = try world.run("signup", ada, "--send-code", "--json").document()
        expect(signup.string("pending"), "email-verification")
        let code = try world.run("mail", "--to", ada, "--code", "--wait", "20").stdout.split(separator: "\n")[0]
        try expect(world.run("login", "--otp", String(code)).exitCode, 0)
        let bob = ["bob@example.com", "--send-code", "--from-mail", "--wait", "20", "--as", "bob"]
        try expect(world.start(["signup"] + bob).wait().exitCode, 0)
        let login = try world.start(["login"] + bob + ["--json"]).wait()
        try expect(login.document().object("user").string("email"), "bob@example.com", "\(login.everything)")
        // The e-mail about an unknown account has a link to the signup.
        let unknown = try world.run("login", "no@example.com", "--send-code", "--from-mail", "--wait", "1", "--json")
            .refusal(7, "not-found")
        #expect(unknown.string("message") == "the e-mail to 'no@example.com' has a link, but no code")
        #expect(try world.run("login", ada, "--send-code").stdout.hasPrefix("if there is such an account"))
        for _ in 1...4 { try world.run("login", "--otp", "WRONG1", "--json").refusal(4, "wrong-code") }
        try expect(world.run("login", "--otp", "WRONG1").exitCode, 2)
        for _ in 1...8 { try world.run("login", ada, "--send-code") }
        let limited = try world.run("login", ada, "--send-code", "--json").refusal(9, "rate-limited")
        #expect(limited.string("message")?.contains("Too many failed login attempts") == true)
        let closed = try Sandbox(visiting: site(""))
        try closed.run("login", ada, "--send-code", "--json").refusal(10, "unsupported")
        let faults = try closed.run("signup", ada, "--send-code", "--json").refusal(7, "invalid-fields")
        #expect(try faults.object("fields").keys.contains("password"))
    }

    @Test
    func `a second factor is asked for after the code, and an expired code is told with the command for a new one`()
        throws
    {
        let server = try site(#""ACCOUNT_LOGIN_BY_CODE_ENABLED":true,"ACCOUNT_LOGIN_BY_CODE_TIMEOUT":2"#)
        let (world, ada) = (try Sandbox(visiting: server), "ada@example.com")
        try expect(world.signUp("ada", "--email", ada, "--no-login").exitCode, 0)
        try expect(world.run("login", ada, "--send-code").exitCode, 0)
        let late = try #require(server.mails.last?.code)
        Thread.sleep(forTimeInterval: 2.5)
        let expired = try world.run("login", "--otp", late, "--json").refusal(4, "wrong-code")
        expect(expired.string("hint")?.hasSuffix("login --send-code \(ada)"), true)
        let codes = try server.change("totp", "ada")
        try expect(world.run("login", ada, "--send-code").exitCode, 0)
        let first = try world.run("login", "--otp", try #require(server.mails.last?.code), "--json")
        let needed = try first.refusal(5, "second-factor-required")
        expect(needed.string("hint")?.hasSuffix("login --otp CODE \(ada)"), true)
        try world.run("login", ada, "--otp", "000000", "--json").refusal(4, "wrong-code")
        try expect(world.run("login", ada, "--otp", codes[1]).exitCode, 0)
    }

    @Test func `the code of a text message logs in to an account with a phone number`() throws {
        let server = try site(
            #"""
            "ACCOUNT_ADAPTER":"allauth_parts.Phones","ACCOUNT_LOGIN_METHODS":["phone"],
            "ACCOUNT_SIGNUP_FIELDS":["phone*","username*","password1*"],"ACCOUNT_LOGIN_BY_CODE_ENABLED":true
            """#)
        let (world, phone) = (try Sandbox(visiting: server), "+491701234567")
        try expect(world.signUp("ada", "--phone", phone).exitCode, 0)
        try expect(world.start(["verify-email", "--key", try #require(server.mails.last?.code)]).wait().exitCode, 0)
        try expect(world.run("login", phone, "--send-code").exitCode, 0)
        let login = try world.run("login", phone, "--otp", try #require(server.mails.last?.code), "--json")
        try expect(login.document().object("user").string("phone"), phone, "\(login.everything)")
    }

    @Test(arguments: [["verify-email", "--key"], ["login", "--otp"]])
    func `the code of an SMS finishes a signup with a phone number`(command: [String]) throws {
        let server = try site(
            #"""
            "ACCOUNT_ADAPTER":"allauth_parts.Phones","ACCOUNT_LOGIN_METHODS":["phone"],
            "ACCOUNT_SIGNUP_FIELDS":["phone*","username*","password1*"]
            """#)
        let world = try Sandbox(visiting: server)
        let signup = try world.signUp("ada", "--phone", "+491701234567", "--json").document()
        expect(signup.string("pending"), "phone-verification")
        try expect(world.start(command + [try #require(server.mails.last?.code)]).wait().exitCode, 0)
        try expect(world.run("whoami", "--json").document().string("pending"), nil)
        try world.run("logout")
        try expect(world.logIn("+491701234567").exitCode, 0)
    }

    @Test func `an account on a German site that takes only e-mail addresses is told like one on an English site`()
        throws
    {
        let server = try site(
            #""ACCOUNT_LOGIN_METHODS":["email"],"ACCOUNT_SIGNUP_FIELDS":["email*","password1*"]"#, language: "de")
        let world = try Sandbox(visiting: server)
        let address = "ada@example.com"
        try expect(world.signUp(address).exitCode, 0)
        try world.signUp(address, "--json").refusal(6, "email-taken")
        try expect(world.signUp(address, "--if-not-exists", "--json").document().flag("created"), false)
        try world.logIn(address, "--json", password: "not that one").refusal(4, "wrong-password")
        try world.logIn("ada", "--json").refusal(7, "invalid-fields")
        try expect(world.logIn(address).exitCode, 0)
        try expect(world.changePassword().exitCode, 0)
    }
}
