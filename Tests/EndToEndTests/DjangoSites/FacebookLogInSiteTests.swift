import TestSupport
import Testing

/// Facebook logins at dj-rest-auth, with keys and with JWTs.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct FacebookLogInSiteTests {
    static let modes = ["facebook", "facebook-jwt"]

    @Test(arguments: modes)
    func `a Facebook login at dj-rest-auth creates an account and finds it again`(mode: String) throws {
        let server = try SharedSites.server(mode)
        let world = try Sandbox(visiting: server)
        let first = try world.logIn(facebook: "tok-ann")
        #expect(first.exitCode == 0, "\(first.stderr)")
        #expect(first.exitCode == 0)
        let user = try world.run("whoami", "--json").document().object("user")
        #expect(user.string("email") == "ann.face@example.com")
        let again = try world.logIn(facebook: "tok-ann", "--json")
        #expect(again.exitCode == 0)
        let document = try again.document()
        #expect(document.string("kind") == "login")
        #expect(try document.object("user").string("id") == user.string("id"))
        #expect(try world.status() == LinkState(true, false, "1001"))
        #expect(!(first.everything + again.everything).contains("tok-ann"))
        #expect(world.files(holding: "tok-ann") == [])
    }

    @Test(arguments: modes)
    func `a Facebook login at dj-rest-auth does not take over an account with the same address`(mode: String) throws {
        let world = try Sandbox(visiting: try SharedSites.server(mode))
        try world.join("local")
        try world.run("logout")
        let taken = try world.logIn(facebook: "tok-taken", "--json")
        #expect(taken.exitCode == 6)
        let error = try taken.error()
        #expect(error.string("reason") == "email-taken")
        #expect(error.string("hint")?.hasSuffix("authctl login NAME") == true)
        #expect(!world.isThere(world.siteFile))
        #expect(try world.logIn("local").exitCode == 0)
        #expect(try world.link(facebook: "tok-taken").exitCode == 0)
        #expect(try world.logIn(facebook: "tok-taken").stdout.contains("local"))
    }
}
