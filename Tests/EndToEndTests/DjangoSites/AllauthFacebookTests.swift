import TestSupport
import Testing

/// Facebook identities at a site with allauth's headless API; see `graph.py` for the test users.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthFacebookTests {
    private let site: AllauthSite
    private let world: Sandbox

    init() throws {
        site = try AllauthSite("none")
        world = site.world
    }

    @Test func `Facebook identities can be linked, shown and unlinked at allauth`() throws {
        try site.join("ada")
        let token = try site.token
        #expect(try world.status() == LinkState(false, false, nil))
        let link = try world.link(facebook: "tok-ann")
        #expect(link.stdout.contains("1001"), "\(link.stderr)")
        #expect(link.stderr.isEmpty)
        #expect(try world.link(facebook: "tok-ann").exitCode == 0)
        #expect(try world.linkState(try world.link(facebook: "tok-ann", "--json")) == LinkState(true, false, "1001"))
        #expect(try world.status() == LinkState(true, false, "1001"))
        // A second identity is added and replaces none.
        #expect(try world.linkState(try world.link(facebook: "tok-bob", "--json")) == LinkState(true, true, "1002"))
        #expect(try world.status().isLinked == true)
        #expect(try world.linkState(try world.link(facebook: "tok-bob", "--json")).hasChanged == false)

        let unlink = try world.run("link-facebook", "--unlink", "--json")
        #expect(try world.linkState(unlink).hasChanged == true)
        #expect(try world.status() == LinkState(false, false, nil))
        let again = try world.run("link-facebook", "--unlink")
        #expect(again.exitCode == 0)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try site.server.session(token).status == 200)
        #expect(world.files(holding: "tok-") == [])
    }

    @Test func `a link of another user's identity at allauth shows nothing of that user`() throws {
        let theirs = try site.another()
        try #require(try theirs.world.logIn(facebook: "tok-cat").exitCode == 0)
        try site.join("bea")
        let before = try world.bytes(world.sessionFile("site"))
        let text = try world.link(facebook: "tok-cat", "-v")
        #expect(text.exitCode == 6)
        let json = try world.link(facebook: "tok-cat", "--json")
        try json.refusal(6, "identity-taken")
        for secret in ["tok-cat", "cat.face@example.com", try theirs.token, try site.token] {
            #expect(!(text.everything + json.everything).contains(secret))
        }
        #expect(try world.bytes(world.sessionFile("site")) == before)
        #expect(try world.status() == LinkState(false, false, nil))
        try theirs.world.run("logout")
    }

    @Test func `a Facebook login without an address at allauth fails with a hint`() throws {
        let text = try world.logIn(facebook: "tok-noemail")
        #expect(text.exitCode == 7)
        #expect(text.stderr.contains("authctl link facebook --token-file FILE\n"))
        try world.logIn(facebook: "tok-noemail", "--json").refusal(7, "invalid-fields")
        // Follows the hint: link the identity to an existing account.
        try site.join("eve")
        #expect(try world.link(facebook: "tok-noemail").exitCode == 0)
        #expect(try world.run("logout").exitCode == 0)
        #expect(try world.logIn(facebook: "tok-noemail").stdout.contains("eve"))
    }

    @Test func `a Facebook login at allauth does not take over an account with the same address`() throws {
        try site.join("local")
        let token = try site.token
        let text = try world.logIn(facebook: "tok-taken")
        #expect(text.exitCode == 6)
        #expect(text.stderr.contains("authctl link facebook --token-file FILE"))
        try world.logIn(facebook: "tok-taken", "--json").refusal(6, "email-taken")
        #expect(try site.token == token)
    }
}
