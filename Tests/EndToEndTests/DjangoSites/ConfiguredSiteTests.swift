import TestSupport

/// A dj-rest-auth site with settings that its packages document; see `accounts.py` and `parts.py`.
struct ConfiguredSite: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var mode = "none"
    /// Settings as a JSON object without its braces.
    var settings = ""
    var apps = ""
    var middleware = ""
    var language: String?

    func server() throws -> DjangoServer {
        var environment = ["SITE_SETTINGS": "{\(settings)}", "SITE_APPS": apps, "SITE_MIDDLEWARE": middleware]
        if let language {
            environment["SITE_LANGUAGE"] = language
            environment["SITE_MIDDLEWARE"] = "-django.middleware.locale.LocaleMiddleware"
        }
        return try DjangoServer(.djRestAuth, mode, environment: environment)
    }

    static func framework(_ name: String, _ settings: String, mode: String = "none") -> Self {
        Self(testDescription: name, mode: mode, settings: #""REST_FRAMEWORK":{\#(settings)}"#)
    }

    static func authentication(_ name: String, _ classes: String..., mode: String = "none") -> Self {
        let list = classes.map { "\"\($0)\"" }.joined(separator: ",")
        return framework(name, #""DEFAULT_AUTHENTICATION_CLASSES":[\#(list)]"#, mode: mode)
    }

    static let knox = Self(
        testDescription: "django-rest-knox",
        settings: #"""
            "REST_AUTH":{"TOKEN_MODEL":"knox.models.AuthToken","TOKEN_CREATOR":"parts.knox_token",
            "TOKEN_SERIALIZER":"parts.KnoxToken"},
            "REST_FRAMEWORK":{"DEFAULT_AUTHENTICATION_CLASSES":["knox.auth.TokenAuthentication"]}
            """#, apps: "knox")
    static let jwtWord = Self(
        testDescription: "AUTH_HEADER_TYPES", mode: "jwt", settings: #""SIMPLE_JWT":{"AUTH_HEADER_TYPES":["JWT"]}"#)
    static let standardized = framework(
        "drf-standardized-errors", #""EXCEPTION_HANDLER":"drf_standardized_errors.handler.exception_handler""#)
    static let envelope = framework("errors in an envelope", #""EXCEPTION_HANDLER":"parts.envelope""#)
    static let firstMessage = framework("the first error alone", #""EXCEPTION_HANDLER":"parts.first_message""#)
    static let renamedErrors = framework("NON_FIELD_ERRORS_KEY", #""NON_FIELD_ERRORS_KEY":"errors""#)
    static let camelCase = Self(
        testDescription: "djangorestframework-camel-case, auth_token",
        settings: #"""
            "REST_FRAMEWORK":{
            "DEFAULT_RENDERER_CLASSES":["djangorestframework_camel_case.render.CamelCaseJSONRenderer"],
            "DEFAULT_PARSER_CLASSES":["djangorestframework_camel_case.parser.CamelCaseJSONParser"]},
            "JSON_CAMEL_CASE":{"JSON_UNDERSCOREIZE":{"no_underscore_before_number":true}},
            "REST_AUTH":{"TOKEN_SERIALIZER":"parts.Key"}
            """#)
    static let german = Self(testDescription: "German", language: "de")

    static let stories = [
        knox, authentication("keyword", "parts.Keyword"), jwtWord, camelCase,
        Self(testDescription: "wrapped logins", mode: "jwt", middleware: "parts.WrapGrants"), renamedErrors,
        standardized, envelope, firstMessage, german,
        authentication(
            "keys first", "rest_framework.authentication.TokenAuthentication",
            "dj_rest_auth.jwt_auth.JWTCookieAuthentication", mode: "jwt"),
        authentication(
            "cookies first", "rest_framework.authentication.SessionAuthentication",
            "rest_framework.authentication.TokenAuthentication"),
        Self(
            testDescription: "CHECK_REVOKE_TOKEN", mode: "jwt", settings: #""SIMPLE_JWT":{"CHECK_REVOKE_TOKEN":true}"#),
    ]
}

@Suite(.mostlyWaits, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed)) struct ConfiguredSiteTests {
    @Test(arguments: ConfiguredSite.stories)
    func `an account on a configured dj-rest-auth site works from signup to logout`(site: ConfiguredSite) throws {
        let server = try site.server()
        let world = try Sandbox(visiting: server)
        try AccountStory(world: world, backend: "rest-auth", server: server.url).run()
        try world.join("bea")
        try expect(world.run("api", "/api/items/", "--paginate").exitCode, 0)
        let curl = try world.runScript(
            #""$A" token --header | curl -sS --fail -H @- "\#(server.url.replacing("/dj-rest-auth", with: ""))/api/echo/" -d a"#
        )
        expect(curl.stdout, "a", "\(curl.everything)")
        let file = "\(world.root)/token"
        try world.write(try world.token("site"), to: file)
        try expect(world.run("login", "--token-file", file).exitCode, 0)
        try expect(world.run("api", "/api/items/?page=3").exitCode, 0)
        try expect(world.run("exec", "--", BuiltBinary.path, "whoami").exitCode, 0)

        // Outside of `exec`, no setting and no login has told the word before the token.
        let variables = [
            "AUTHCTL_BACKEND": "rest-auth", "AUTHCTL_SERVER": server.url, "AUTHCTL_TOKEN": try world.token("site"),
            "AUTHCTL_CONFIG_DIR": "\(world.root)/empty",
        ]
        for words in ["whoami", "api /api/items/?page=3", "exec -- \(BuiltBinary.path) whoami"] {
            let result = try world.start(words.split(separator: " ").map(String.init), environment: variables).wait()
            expect(result.exitCode, 0, "\(result.everything)")
        }
        let header = try world.run("token", "--header", environment: variables).stdout
        try expect(header, world.run("token", "--header").stdout)
        let revoked = try world.run("logout", "--json", environment: variables).document().string("revoked")
        try expect(world.run("whoami", environment: variables).exitCode, (revoked == "yes" ? 4 : 0))
    }

    @Test(
        arguments: [
            (.knox, "unsupported"), (ConfiguredSite(testDescription: "cookies", mode: "jwt-cookie"), "yes"),
            (ConfiguredSite(testDescription: "cookies, French", mode: "jwt-cookie", language: "fr"), "yes"),
            (
                ConfiguredSite(
                    testDescription: "cookies without a blacklist", mode: "jwt-cookie",
                    apps: "-rest_framework_simplejwt.token_blacklist"), "unsupported"
            ),
            (
                ConfiguredSite(testDescription: "no blacklist, French", mode: "jwt-noblacklist", language: "fr"),
                "unsupported"
            ),
            (ConfiguredSite(testDescription: "blacklist, French", mode: "jwt", language: "fr"), "yes"),
            (ConfiguredSite.german, "yes"), (.envelope, "yes"),
        ] as [(ConfiguredSite, String)])
    func `a logout says revoked only if the site refuses the session afterwards`(
        site: ConfiguredSite, revoked: String
    ) throws {
        let server = try site.server()
        let world = try Sandbox(visiting: server, as: "ada")
        try #require(try world.logIn("ada").exitCode == 0)
        let pair = try world.storedPair()
        let logout = try world.run("logout", "--json")
        try expect(logout.document().string("revoked"), revoked)
        // A key, or a token that can be renewed.
        let isAlive =
            pair.refresh == nil
            ? try server.ask("GET", "user/", authorization: "Token \(pair.access)").status == 200
            : try server.refresh(pair.refresh) == 200
        expect(isAlive, (revoked == "unsupported"))
        expect(logout.stderr.contains("all devices"), (pair.refresh == nil && revoked == "yes"))
        if pair.refresh != nil { #expect(logout.stderr.contains("until 20"), "\(logout.stderr)") }
    }

    @Test(arguments: [
        ConfiguredSite.camelCase, .standardized, .envelope, .firstMessage, .renamedErrors,
    ])
    func `errors in the format of a site have their own reasons`(site: ConfiguredSite) throws {
        let server = try site.server()
        let world = try Sandbox(visiting: server, as: "ada")
        let token = try world.token("site")
        try world.signUp("ada", "--email", "x@example.com", "--json").refusal(6, "username-taken")
        let wrong = try world.start(
            ["password", "change", "--password-stdin", "--json"], input: "wrong one\n\(Sandbox.newPassword)\n"
        ).wait()
        try wrong.refusal(4, "wrong-password")
        expect(server.requests.suffix(2), ["GET /dj-rest-auth/user/ 200", "POST /dj-rest-auth/login/ 400"])
        let again = try world.signUp("ada", "--email", "ada@example.com", "--if-not-exists", "--json")
        try expect(again.document().flag("created"), false)
        try world.run("logout")
        let variables = [
            "AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": "rest-auth", "AUTHCTL_SERVER": server.url,
        ]
        let whoami = try world.start(["whoami", "--json"], environment: variables).wait()
        expect(whoami.exitCode, 4)
        try expect(whoami.document().string("state"), "rejected")
        let logout = try world.start(["logout", "--json"], environment: variables).wait()
        try expect(logout.document().string("revoked"), "already")
    }

    @Test func `several field errors in a site's format are shown by field, without the envelope`() throws {
        for site in [ConfiguredSite.standardized, .envelope] {
            let world = try Sandbox(visiting: site.server())
            let signup = try world.run(
                "signup", "ada", "--email", "nope", "--password-stdin", "--json", input: "12345678\n")
            try expect(signup.refusal(7, "invalid-fields").object("fields").keys, ["email", "password"])
        }
    }

    @Test func `a login is unsupported and saves nothing if no word before the token helps`() throws {
        let site = ConfiguredSite.authentication(
            "keys alone", "rest_framework.authentication.TokenAuthentication", mode: "jwt")
        let server = try site.server()
        let world = try Sandbox(visiting: server)
        try expect(world.signUp("ada", "--email", "ada@example.com", "--json").document().flag("created"), true)
        let login = try world.logIn("ada", "--json")
        try login.refusal(10, "unsupported")
        #expect(login.stderr.contains("authctl profile set site tokenScheme WORD"))
        #expect(!world.isThere(world.siteFile))
    }

    @Test func `a site in another language decides by one login whether a name is taken`() throws {
        let world = try Sandbox(visiting: ConfiguredSite.german.server(), as: "ada")
        try expect(world.signUp("ada", "--if-not-exists", "--json").document().flag("created"), false)
        let other = try world.run(
            "signup", "ada", "--if-not-exists", "--password-stdin", "--json", input: "other one 77\n")
        try other.refusal(7, "invalid-fields")
        #expect(other.stderr.contains("Dieser Benutzername ist bereits vergeben."))
        for (password, state, exit) in [(Sandbox.password, "existing", 0), ("other one 77", "failed", 11)] {
            let journal = "\(world.root)/journal-\(state)"
            let rows = try world.run(
                "users", "create", "-", "--if-not-exists", "--json", "--journal", journal,
                input: "{\"username\":\"ada\",\"email\":\"ada@example.com\",\"password\":\"\(password)\"}\n")
            expect(rows.exitCode, Int32(exit))
            #expect(rows.stdout.contains("\"state\":\"\(state)\""), "\(rows.everything)")
        }
    }

    @Test func `a login in another language shows the site's text, suggests verify-email and requests no e-mail`()
        throws
    {
        let site = ConfiguredSite(testDescription: "German", mode: "mandatory", language: "de")
        let server = try site.server()
        let world = try Sandbox(visiting: server)
        try expect(world.signUp("ada", "--email", "ada@example.com").exitCode, 0)
        let login = try world.logIn("ada@example.com", "--json")
        let hints = try #require(try login.refusal(4, "wrong-password").strings("hints"))
        #expect(hints[1].contains("verify-email --email ada@example.com"))
        #expect(login.stderr.contains("E-Mail Adresse ist nicht verifiziert."))
        expect(server.mails.count, 1)
    }

    @Test func `a 403 response in another language means a dead key only if an invalid key gets the same`() throws {
        var site = ConfiguredSite.authentication(
            "cookies first", "rest_framework.authentication.SessionAuthentication",
            "rest_framework.authentication.TokenAuthentication")
        site.language = "de"
        let server = try site.server()
        let world = try Sandbox(visiting: server, as: "ada")
        try world.run("api", "/api/admin/", "--json").expectError(5, "forbidden")
        try expect(world.run("whoami").exitCode, 0)
        let variables = [
            "AUTHCTL_TOKEN": try world.token("site"), "AUTHCTL_BACKEND": "rest-auth", "AUTHCTL_SERVER": server.url,
        ]
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
        let whoami = try world.run("whoami", "--json", environment: variables)
        expect(whoami.exitCode, 4)
        try expect(whoami.document().string("state"), "rejected")
        try world.run("api", "/api/items/", "--json", environment: variables).expectError(4, "session-revoked")
        let logout = try world.run("logout", "--json", environment: variables)
        try expect(logout.document().string("revoked"), "already")
    }

    // MARK: - Stories

    @Test func `a request for a host that the site does not allow names the host`() throws {
        let site = ConfiguredSite(testDescription: "hosts", settings: #""ALLOWED_HOSTS":["example.org"]"#)
        let server = try site.server()
        let login = try Sandbox(visiting: server).logIn("ada", "--json")
        let error = try login.refusal(8, "invalid-response")
        expect(error.string("message")?.contains("'127.0.0.1'"), true)
        #expect(error.number("http") == 400 && error.flag("retryable") == false)
        #expect(!login.stderr.contains("try again later"))
    }

    @Test(
        arguments: [
            ("parts.Maintained", 9, "server-fault", "Maintenance until 18:00"),
            ("parts.Invited", 7, "invalid-fields", "No such invitation."),
        ] as [(String, Int32, String, String)])
    func `the site's own text explains why a signup fails`(
        serializer: String, exit: Int32, reason: String, text: String
    ) throws {
        let site = ConfiguredSite(
            testDescription: serializer, settings: #""REST_AUTH":{"REGISTER_SERIALIZER":"\#(serializer)"}"#)
        let server = try site.server()
        let signup = try Sandbox(visiting: server).signUp("ada", "--email", "ada@example.com", "--json")
        try signup.refusal(exit, reason)
        #expect(signup.stderr.contains(text))
    }

    @Test(arguments: ["parts.LockByError", "parts.LockByPage"])
    func `an account that django-axes has locked is reported as locked`(part: String) throws {
        let site = ConfiguredSite(
            testDescription: part,
            settings: #"""
                "AXES_FAILURE_LIMIT":2,"AXES_COOLOFF_TIME":1,"AUTHENTICATION_BACKENDS":
                ["axes.backends.AxesStandaloneBackend","django.contrib.auth.backends.ModelBackend"]
                """#, apps: "axes", middleware: part)
        let server = try site.server()
        let world = try Sandbox(visiting: server, as: "ada")
        for _ in 0..<2 { _ = try world.logIn("ada", password: "not that one") }
        try world.logIn("ada", "--json").refusal(5, "account-locked")
    }

    @Test func `account update changes the e-mail of a site whose serializer takes it, and nothing elsewhere`() throws {
        let editable = ConfiguredSite(
            testDescription: "editable", settings: #""REST_AUTH":{"USER_DETAILS_SERIALIZER":"parts.PlainUser"}"#)
        for (site, exit, email) in [
            (editable, 0, "new@example.com"), (ConfiguredSite(testDescription: "default"), 10, "ada@example.com"),
        ] as [(ConfiguredSite, Int32, String)] {
            let world = try Sandbox(visiting: site.server(), as: "ada")
            try expect(world.run("account", "update", "--email", "new@example.com").exitCode, exit)
            try expect(world.run("whoami", "--json").document().object("user").string("email"), email)
        }
    }

    @Test func `login --field sends the fields that a site's login asks for`() throws {
        let site = ConfiguredSite(
            testDescription: "device", settings: #""REST_AUTH":{"LOGIN_SERIALIZER":"parts.DeviceLogin"}"#)
        let server = try site.server()
        let world = try Sandbox(visiting: server, as: "ada")
        try expect(world.logIn("ada", "--json").refusal(7, "invalid-fields").object("fields").keys, ["device_id"])
        try expect(world.logIn("ada", "--field", "device_id=d1").exitCode, 0)
    }
}

extension Finished {
    /// Checks the error of a run that also printed a body.
    fileprivate func expectError(_ exit: Int32, _ reason: String) throws {
        expect(exitCode, exit, "\(everything)")
        try expect(error().string("reason"), reason)
    }
}
