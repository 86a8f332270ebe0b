import TestSupport
import Testing

/// An account from signup to logout at a fake of Kii Cloud.
@Suite struct KiiLifeTests {
    @Test func `an account at Kii works from signup to logout`() throws {
        let site = try KiiSite()
        try AccountStory(world: site.world, backend: "kii", server: site.server.url).run()
    }

    @Test(arguments: [
        ("one-call=415", ["POST users 415", "POST users 201", "POST oauth2/token 200", "GET users/me 200"]),
        ("one-call=none", ["POST users 201", "POST oauth2/token 200", "GET users/me 200"]),
    ])
    func `a Kii signup without a session is followed by a login`(word: String, expected: [String]) throws {
        let site = try KiiSite(word)
        let (signup, asked) = try site.requests("signup", "ada", "--password-stdin", "--json")
        #expect(asked == expected)
        #expect(try signup.document().object("session").string("expiresAt") != nil)
        #expect(try site.world.run("whoami").exitCode == 0)
        let (byPhone, askedByPhone) = try site.requests("signup", "--phone", "+819012345678", "--password-stdin", "-q")
        #expect(byPhone.exitCode == 0, "\(byPhone.stderr)")
        #expect(askedByPhone == expected)
        let (alone, askedAlone) = try site.requests("signup", "eve", "--no-login", "--password-stdin")
        #expect(alone.exitCode == 0)
        #expect(askedAlone == expected.filter { $0.hasPrefix("POST users ") })
        #expect(alone.warnings == [])
    }

    @Test func `a Kii signup with --no-login warns that its session stays valid`() throws {
        let site = try KiiSite()
        let (signup, asked) = try site.requests("signup", "ada", "--no-login", "--password-stdin")
        #expect(signup.exitCode == 0)
        #expect(signup.warnings.count == 1)
        #expect(asked == ["POST users 201"])
        #expect(try site.world.run("whoami").exitCode == 3)
    }

    @Test func `Kii accepts username, e-mail and phone`() throws {
        let site = try KiiSite()
        try site.join("ada", "--email", "ada@example.org", "--phone", "+819012345678")
        for login in ["ada", "ada@example.org", "+819012345678", "EMAIL:ada@example.org", "PHONE:+819012345678"] {
            let result = try site.world.logIn(login, "-q")
            #expect(result.exitCode == 0, "\(login)")
        }
        #expect(try site.server.test("live", of: "ada") == "6 0")
        let unknown = try site.world.logIn("+4712345678")
        #expect(unknown.exitCode == 4)
        #expect(unknown.stderr.contains("authctl signup --phone +4712345678\n"))
        #expect(unknown.stderr.contains("authctl password reset +4712345678\n"))
    }

    @Test func `options alone can name a Kii application`() throws {
        let site = try KiiSite()
        let world = try Sandbox()
        let options = ["--backend", "kii", "--server", site.server.url, "--app-id", KiiServer.appID]
        #expect(
            try world.start(["signup", "ada", "--password-stdin"] + options, input: .password).wait().exitCode == 0)
        #expect(try world.start(["whoami"] + options).wait().exitCode == 0)
        let missing = try world.run("whoami", "--backend", "kii", "--server", site.server.url)
        #expect(missing.exitCode == 2)
        #expect(missing.stderr.contains("--app-id"))
    }

    @Test(arguments: [
        ("us", "https://api.kii.com/api"), ("jp", "https://api-jp.kii.com/api"), ("sg", "https://api-sg.kii.com/api"),
        ("eu", "https://api-eu.kii.com/api"), ("https://kii.example.org/api/", "https://kii.example.org/api"),
    ])
    func `a Kii site has a name or a URL`(site: String, url: String) throws {
        let world = try Sandbox()
        let words = ["profile", "add", "site", "--backend", "kii", "--server", site, "--app-id", "x", "--json"]
        let item = try world.start(words).wait().document().object("item")
        #expect(item.string("server") == url)
        #expect(try world.run("profile", "show", "site").stdout.contains(url))
    }

    // MARK: - Tokens and expiry

    @Test func `a login with a token at Kii saves a valid session only`() throws {
        let site = try KiiSite()
        try site.join()
        let token = try site.world.token("site")
        let elsewhere = try site.another()
        let (login, asked) = try elsewhere.requests("login", "--token-stdin", input: "\(token)\n")
        #expect(login.stdout.contains("ada"))
        #expect(asked == ["GET users/me 200"])
        let refused = try elsewhere.requests("login", "--token-stdin", "--json", input: "not-a-token\n").result
        #expect(refused.exitCode == 4)
        #expect(try refused.error().string("reason") == "token-refused")
        #expect(try elsewhere.world.token("site") == token)
    }

    @Test(arguments: [
        ("2147483647", "20"), ("9223372036854775", "9999-12-31T23:59:59Z"),
        ("148478248144076800", "9999-12-31T23:59:59Z"), ("9223372036854775807", "9999-12-31T23:59:59Z"),
        ("99999999999999999999999", "9999-12-31T23:59:59Z"),
    ])
    func `a Kii session may have an expiry beyond the calendar`(lifetime: String, end: String) throws {
        let site = try KiiSite("expires=\(lifetime)")
        try site.joinAndLogIn()
        for words in [["whoami", "--json"], ["whoami", "--offline", "--json"]] {
            let whoami = try site.world.start(words).wait()
            #expect(whoami.exitCode == 0, "\(whoami.everything)")
            let session = try whoami.document().object("session")
            #expect(session.string("expiresAt")?.hasPrefix(end) == true)
        }
        #expect(try site.world.run("token").exitCode == 0)
    }

    @Test func `an expired Kii session without refresh token is reported without a request`() throws {
        let site = try KiiSite("expires=0")
        try site.joinAndLogIn()
        let (token, asked) = try site.requests("token", "--json")
        #expect(token.exitCode == 4)
        #expect(try token.error().string("reason") == "session-expired")
        #expect(asked == [])
        #expect(try site.world.run("whoami", "--json").document().string("state") == "expired")
    }

    @Test func `Kii lists the current session only and cannot revoke it`() throws {
        let site = try KiiSite()
        try site.join()
        let list = try site.world.run("sessions", "--json").document()
        #expect(list.flag("complete") == false)
        #expect(try list.objects("items").map { $0.string("id") } == ["current"])
        for choice in ["--all", "--others", "x"] {
            let (revoke, asked) = try site.requests("sessions", "revoke", choice)
            #expect(revoke.exitCode == 10)
            #expect(revoke.stderr.contains("authctl password change\n"))
            #expect(asked == [])
        }
        let current = try site.world.run("sessions", "revoke", "current", "--json")
        #expect(try current.error().string("reason") == "unsupported")
        #expect(try site.world.run("whoami").exitCode == 0)
    }

    // MARK: - Anonymous users

    @Test func `an anonymous login at Kii warns that the account has no password`() throws {
        let site = try KiiSite("refresh")
        let (login, asked) = try site.requests("login", "--anonymous", "--json")
        #expect(asked == ["POST users 201"])
        let document = try login.document()
        #expect(document.flag("created") == true)
        #expect(document.strings("warnings")?.count == 1)
        #expect(try document.object("user").isNull("username"))
        #expect(try site.world.run("whoami").exitCode == 0)
        let passwords: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
        let (change, asking) = try site.requests("password", "change", "--password-stdin", input: passwords)
        #expect(change.exitCode == 10)
        #expect(asking == ["GET users/me 200"])
        #expect(try site.world.storedPair().refresh == nil)
        let text = try site.world.run("login", "--anonymous")
        #expect(text.warnings.count == 1)
    }
}
