import TestSupport
import Testing

/// Facebook links at dj-rest-auth. Its response to a link may be a login as another user.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct FacebookLinkSiteTests {
    static let modes = ["facebook", "facebook-jwt"]

    @Test(arguments: modes)
    func `Facebook identities can be linked, shown and unlinked at dj-rest-auth`(mode: String) throws {
        let server = try SharedSites.server(mode)
        let world = try Sandbox(visiting: server)
        try world.join("ada")
        let before = try world.storedPair()
        #expect(try world.status() == LinkState(false, false, nil))
        let link = try world.link(facebook: "tok-ann")
        #expect(link.stdout.contains("1001"), "\(link.stderr)")
        #expect(try world.linkState(try world.link(facebook: "tok-ann", "--json")) == LinkState(true, false, "1001"))
        #expect(try world.status() == LinkState(true, false, "1001"))
        #expect(try world.linkState(try world.link(facebook: "tok-bob", "--json")) == LinkState(true, true, "1002"))

        let unlink = try world.run("link-facebook", "--unlink", "--json")
        #expect(try world.linkState(unlink).hasChanged == true)
        #expect(try world.status() == LinkState(false, false, nil))
        let again = try world.run("link-facebook", "--unlink")
        #expect(again.exitCode == 0)
        #expect(try world.storedPair() == before)
        #expect(world.files(holding: "tok-") == [])
        if mode == "facebook-jwt" { #expect(try server.liveRefreshTokens(of: "ada") == 1) }
    }

    @Test(arguments: modes)
    func `a link of another user's identity at dj-rest-auth saves and shows nothing of that user`(mode: String) throws {
        let server = try SharedSites.server(mode)
        let theirs = try Sandbox(visiting: server)
        try #require(try theirs.logIn(facebook: "tok-cat").exitCode == 0)
        let name = try #require(
            try theirs.run("whoami", "--json").document().object("user").string("username"))
        let world = try Sandbox(visiting: server)
        try world.join("bea")
        try world.run("whoami")
        let before = try world.bytes(world.siteFile)
        let text = try world.link(facebook: "tok-cat", "-v")
        let json = try world.link(facebook: "tok-cat", "--json")
        #expect(text.exitCode == 6)
        #expect(json.exitCode == 6)
        #expect(try json.error().string("reason") == "identity-taken")
        #expect(try world.bytes(world.siteFile) == before)

        let everything = text.everything + json.everything
        let pair = try theirs.storedPair()
        for secret in [pair.access, pair.refresh, "tok-cat", "cat.face@example.com"].compactMap(\.self) {
            #expect(!everything.contains(secret))
            #expect(world.files(holding: secret) == [])
        }
        #expect(try world.run("whoami").stdout.hasPrefix("bea "))
        #expect(try world.status() == LinkState(false, false, nil))
        #expect(try theirs.run("whoami").exitCode == 0)
        #expect(try theirs.storedPair() == pair)
        // authctl revokes the tokens from the responses to the links.
        if mode == "facebook-jwt" { #expect(try server.liveRefreshTokens(of: name) == 1) }
    }
}
