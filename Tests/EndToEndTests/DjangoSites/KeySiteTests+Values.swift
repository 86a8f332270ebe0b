import TestSupport
import Testing

/// Values reach the site unchanged and are not shown.
extension KeySiteTests {
    private static let passwords = [
        "a&b%41+c d=e?f#g", "emoji \u{1F418}\u{1F389} zażółć gęślą", #"quo"te'back\slash\n\u0041"#,
        String(repeating: "aB3 ", count: 1023) + "aB3!",
    ]

    @Test(arguments: Family.restAuths)
    func `names, addresses and passwords reach the site unchanged`(family: Family) throws {
        let site = try DjangoSite(family)
        for (number, password) in Self.passwords.enumerated() {
            let (name, email) = ("p+\(number).é_@-", "p+\(number)@example.com")
            let words = ["signup", name, "--email", email, "--password-stdin"]
            let signup = try site.world.start(words, input: "\(password)\n").wait()
            #expect(signup.exitCode == 0, "\(signup.everything)")
            let user = try site.world.run("whoami", "--json").document().object("user")
            #expect(user.string("username") == name)
            #expect(user.string("email") == email)
            #expect(try site.logIn(email, password: password).exitCode == 0)
            // A username may contain an at sign.
            #expect(try site.logIn(name, password: password).exitCode == 0)
            #expect(try site.logIn(email, password: password + "x").exitCode == 4)
        }
    }

    @Test(arguments: Family.restAuths)
    func `a field that the site ignores does not fail the signup`(family: Family) throws {
        let site = try DjangoSite(family)
        let signup = try site.signUp("ren", "--field", "first_name=Ren", "--field-json", "age=7")
        #expect(signup.exitCode == 0)
        let fields = try site.world.run("whoami", "--json").document().object("user").object("fields")
        #expect(fields.string("first_name") == "")
    }

    @Test(arguments: Family.restAuths)
    func `white space around a password causes a warning`(family: Family) throws {
        let site = try DjangoSite(family)
        let (bare, around) = ("around it all", "  around it all ")
        let signup = try site.signUp("sid", password: around)
        #expect(signup.exitCode == 0)
        #expect(signup.warnings.count == 1 && signup.stderr.contains("white space"))
        #expect(try site.logIn("sid", password: bare).stderr.isEmpty)
        let login = try site.logIn("sid", "--json", password: around)
        #expect(login.exitCode == 0)
        #expect(try login.document().strings("warnings")?.count == 1)
        #expect(try site.logIn("sid", password: around).warnings.count == 1)
        #expect(try site.logIn("sid", password: "aroundit all").exitCode == 4)
    }

    @Test(arguments: Family.restAuths)
    func `a revoked session in AUTHCTL_TOKEN does not fail a login`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("tea")
        try site.world.run("logout")
        let login = try site.logIn("tea", environment: ["AUTHCTL_TOKEN": "0123456789abcdef"])
        #expect(login.exitCode == 0, "\(login.everything)")
        #expect(login.warnings.count == 1)
        #expect(try site.logIn("tea").exitCode == 0)
        let whoami = try site.world.run("whoami", "--json", environment: ["AUTHCTL_TOKEN": "0123456789abcdef"])
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("source") == "environment")
    }

    @Test(arguments: Family.restAuths)
    func `commands at a key site show no secret, not even with -v`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        let (wrong, new) = ("canary of a wrong one", "canary of a new one")
        var shown = try [
            site.signUp("una", "-v", password: "canary of the first"), site.logIn("una", "-v", password: wrong),
        ]
        let key = try site.token
        world.set("AUTHCTL_PASSWORD", to: "canary of the environment")
        shown += try [
            site.logIn("una", "-v", "--json", password: "canary of the first"),
            world.run("whoami", "-v"), world.run("whoami", "-v", "--json"), world.run("sessions", "-v", "--json"),
            world.run("profile", "show", "--json"),
            site.changePassword("-v", from: wrong, to: new),
            site.changePassword("-v", from: "canary of the first", to: new),
            world.run("login", "-v", "--token-stdin", input: "canary-token"),
            world.run("password", "reset", "una@example.com", "-v"),
            world.run("verify-email", "-v", "--key", "canary:of:a:mail"),
            world.run("login", "una", "-v"), world.run("logout", "-v"), world.run("whoami", "-v"),
        ]
        var secrets = ["canary", key, try #require(try site.mail(to: "una@example.com").reset).token]
        if family == .djRestAuth {
            try site.logIn("una", password: new)
            shown.append(try world.run("verify-email", "-v"))
            let mailed = try #require(try site.mail(to: "una@example.com").verificationKey)
            shown.append(try world.run("verify-email", "-v", "--key", mailed))
            secrets += [mailed, try site.token]
        }
        for one in shown {
            for secret in secrets {
                #expect(!one.everything.contains(secret), "\(one.everything)")
            }
        }
        #expect(shown.contains { $0.stderr.contains("> POST \(site.server.url)/password/change/\n") })
    }
}
