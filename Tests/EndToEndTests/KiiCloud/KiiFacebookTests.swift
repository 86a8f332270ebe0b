import TestSupport
import Testing

/// Facebook identities at a fake of Kii Cloud; see `graph.py` for the test users.
@Suite struct KiiFacebookTests {
    @Test func `an identity at Kii can be linked and unlinked, and a second one is rejected`() throws {
        let site = try KiiSite(hasFacebook: true)
        let world = site.world
        try site.join()
        #expect(try world.status() == LinkState(false, false, nil))
        #expect(try world.link(facebook: "tok-ann").stdout.contains("1001"))
        let (again, asked) = try site.server.requests { try world.link(facebook: "tok-ann", "--json") }
        #expect(try world.linkState(again) == LinkState(true, false, "1001"))
        #expect(asked == ["GET users/me 200"])
        #expect(try world.status() == LinkState(true, false, "1001"))
        let second = try world.link(facebook: "tok-bob", "--json")
        #expect(second.exitCode == 6)
        #expect(try second.error().string("reason") == "identity-taken")
        #expect(try second.error().string("hint") != nil)

        let unlink = try world.run("link-facebook", "--unlink", "--json")
        #expect(try world.linkState(unlink) == LinkState(false, true, nil))
        let unlinkAgain = try world.run("link-facebook", "--unlink")
        #expect(unlinkAgain.exitCode == 0)
        #expect(try world.linkState(try world.link(facebook: "tok-bob", "--json")) == LinkState(true, true, "1002"))
        #expect(world.files(holding: "tok-") == [])
    }

    @Test func `a Facebook login at Kii takes the identity`() throws {
        let site = try KiiSite("refresh", hasFacebook: true)
        let (login, asked) = try site.requests("login", "--facebook", "--token-stdin", "--json", input: "tok-ann\n")
        #expect(asked == ["POST integration/facebook 200", "GET users/me 200"])
        let document = try login.document()
        #expect(document.flag("created") == true)
        #expect(try document.object("user").string("username")?.hasPrefix("u.") == true)
        #expect(try document.object("user").strings("providers") == ["facebook"])
        let second = try site.world.logIn(facebook: "tok-ann.phone", "--json").document()
        #expect(second.flag("created") == false)
        #expect(try second.object("user").string("id") == document.object("user").string("id"))

        let last = try site.world.run("link-facebook", "--unlink", "--json")
        #expect(last.exitCode == 5)
        let other = try site.another()
        try other.join("bea")
        let taken = try other.world.link(facebook: "tok-ann")
        #expect(taken.exitCode == 6)
        #expect(try site.world.run("link-facebook", "--unlink", "--force").exitCode == 0)
        #expect(try other.world.link(facebook: "tok-ann").exitCode == 0)
        let logout = try site.world.run("logout")
        #expect(logout.exitCode == 0)
    }

    @Test func `a token with --facebook-id is sent to Kii only`() throws {
        let site = try KiiSite(hasFacebook: true)
        try site.join()
        let link = try site.world.link(facebook: "tok-ann", "--facebook-id", "1001", "--json")
        #expect(try site.world.linkState(link) == LinkState(true, true, "1001"))
        #expect(site.graph?.requests == [])
        let refused = try site.world.start(
            ["login", "--facebook", "--token-stdin", "--facebook-id", "1002", "--json"], input: "tok-otherapp\n"
        ).wait()
        #expect(refused.exitCode == 4)
        #expect(try refused.error().string("reason") == "token-refused")
        #expect(site.graph?.requests == [])
    }
}
