import TestSupport
import Testing

/// Accounts of a Django site whose sessions are keys, and that asks for no verified address: from signup to logout.
@Suite(
    .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedDjangoServers("none"))
struct KeySiteTests {
    typealias Family = DjangoServer.Family

    @Test(arguments: Family.restAuths)
    func `an account lives from signup to logout`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        let place = "(profile 'site', \(site.server.url))"
        let profile = try world.run("profile", "show", "--json").document().object("item")
        #expect(profile.string("backend") == "rest-auth")

        let signup = try site.signUp("ada")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout == "created account ada and logged in \(place)\n")
        #expect(signup.stderr.isEmpty)
        #expect(try world.run("whoami").stdout == "ada \(place)\ne-mail:  ada@example.com\n")
        let whoami = try world.run("whoami", "--json").document()
        #expect(whoami.string("state") == "valid")
        #expect(whoami.string("backend") == "rest-auth")
        #expect(whoami.string("server") == site.server.url)
        let user = try whoami.object("user")
        #expect(user.string("id").flatMap { Int($0) } != nil)
        #expect(user.string("username") == "ada")
        #expect(user.string("email") == "ada@example.com")
        #expect(user.isNull("emailVerified") && user.isNull("providers"))
        #expect(try user.object("fields").keys == ["first_name", "last_name"])
        #expect(try whoami.object("session").isNull("expiresAt"))

        let token = try site.token
        #expect(token.wholeMatch(of: /[0-9a-f]{40}/) != nil)
        let variables = try world.run("exec", "--", "/usr/bin/env").stdout.split(separator: "\n")
        for variable in [
            "TOKEN=\(token)", "BACKEND=rest-auth", "SERVER=\(site.server.url)", "USERNAME=ada",
        ] { #expect(variables.contains("AUTHCTL_\(variable)")) }

        let logout = try world.run("logout")
        #expect(logout.exitCode == 0)
        #expect(logout.stdout == "logged out (profile 'site')\n")
        #expect(logout.warnings.count == 1)
        #expect(logout.stderr.contains("all of them are logged out now"))
        let again = try world.run("logout", "--json").document()
        #expect(again.flag("changed") == false)
        #expect(try world.run("whoami").exitCode == 3)
    }

    @Test(arguments: Family.restAuths)
    func `somebody logs in by user name or e-mail, in any case`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("bea")
        let token = try site.token
        for name in ["bea", "BEA", "bea@example.com", "Bea@Example.COM"] {
            let login = try site.logIn(name)
            #expect(login.exitCode == 0)
            #expect(login.stdout == "logged in as bea (profile 'site', \(site.server.url))\n")
            // The same key: nothing was replaced.
            #expect(login.stderr.isEmpty)
        }
        #expect(try site.token == token)
        let wrong = try site.logIn("bea", password: "not that one")
        #expect(wrong.exitCode == 4)
        #expect(wrong.stderr.contains("wrong user name or password\n"))
        try site.logIn("bea", "--json", password: "not that one").refusal(4, "wrong-password")
        try site.logIn("nobody", "--json").refusal(4, "wrong-password")
        #expect(try site.token == token)
    }

    @Test(arguments: Family.restAuths)
    func `a session that is replaced is told of only if it was another one`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("cyd")
        let other = try site.signUp("cyd2")
        #expect(other.stderr.contains("note: the session kept before ('cyd') was replaced"))
        let back = try site.logIn("cyd")
        #expect(back.stderr.contains("note: the session kept before ('cyd2') was replaced"))
        let key = try site.token
        _ = try site.server.ask("POST", "logout/", authorization: "Token \(key)")
        #expect(try site.logIn("cyd").stderr.contains("note: the session kept before ('cyd') was replaced"))
        #expect(try site.token != key)
        #expect(try site.logIn("cyd").stderr.isEmpty)
    }

    @Test(arguments: Family.restAuths)
    func `a log-out ends the key on all devices`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        try site.signUp("dan")
        try world.run("profile", "add", "phone", "--from", "site")
        #expect(try world.run("login", "-p", "phone", "--token-stdin", input: "\(try site.token)\n").exitCode == 0)
        let logout = try world.run("logout", "--json")
        #expect(try logout.document().string("revoked") == "yes")
        #expect(logout.stderr.contains("all of them are logged out now"))
        #expect(try world.run("whoami", "-p", "phone").exitCode == 4)
        let whoami = try world.run("whoami", "-p", "phone", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(try whoami.document().object("error").string("reason") == "session-revoked")
        #expect(try world.run("logout", "-p", "phone", "--json").document().string("revoked") == "already")
    }

    @Test(arguments: Family.restAuths)
    func `a session is kept by its token, if the server takes it`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        let key = try #require(try site.server.signUp("eve").json?.string("key"))
        let login = try world.run("login", "--token-stdin", input: "\(key)\n")
        #expect(login.stdout == "logged in as eve (profile 'site', \(site.server.url))\n")
        let bad = try world.run("login", "--token-stdin", "--json", input: "0123456789abcdef\n")
        try bad.refusal(4, "token-refused")
        #expect(try site.token == key)
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test(arguments: Family.restAuths)
    func `only the session of this profile is listed, and can be ended`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        try site.signUp("fay")
        let sessions = try world.run("sessions", "--json").document()
        #expect(sessions.flag("complete") == false)
        #expect(try sessions.objects("items").map { $0.string("id") } == ["current"])
        #expect(try world.run("sessions").stdout.contains("current"))
        for choice in ["--others", "nonesuch"] {
            try world.run("sessions", "revoke", choice, "--json").refusal(10, "unsupported")
        }
        #expect(try world.run("whoami").exitCode == 0)
        let revoked = try world.run("sessions", "revoke", "current", "--json")
        #expect(revoked.exitCode == 0)
        #expect(try revoked.document().flag("forgotten") == true)
        #expect(try world.run("whoami").exitCode == 3)
        try world.run("sessions", "revoke", "current", "--json").refusal(3, "no-session")
    }
}
