import TestSupport
import Testing

/// Accounts from signup to logout at a Django site with keys as sessions and without mandatory verification.
@Suite(
    .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedDjangoServers("none"))
struct KeySiteTests {
    typealias Family = DjangoServer.Family

    @Test(arguments: Family.restAuths)
    func `an account at a key site works from signup to logout`(family: Family) throws {
        let site = try DjangoSite(family)
        try AccountStory(world: site.world, backend: "rest-auth", server: site.server.url).run()
    }

    @Test(arguments: Family.restAuths)
    func `a logout revokes the key on all devices`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        try site.signUp("dan")
        try world.run("profile", "add", "phone", "--from", "site")
        #expect(try world.run("login", "-p", "phone", "--token-stdin", input: "\(try site.token)\n").exitCode == 0)
        let logout = try world.run("logout", "--json")
        #expect(try logout.document().string("revoked") == "yes")
        #expect(logout.errorLines.count == 1 && logout.stderr.contains(#""kind":"warning""#))
        #expect(try world.run("whoami", "-p", "phone").exitCode == 4)
        let whoami = try world.run("whoami", "-p", "phone", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(try whoami.document().object("error").string("reason") == "session-revoked")
        #expect(try world.run("logout", "-p", "phone", "--json").document().string("revoked") == "already")
    }

    @Test(arguments: Family.restAuths)
    func `a key site lists and revokes the session of this profile only`(family: Family) throws {
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
