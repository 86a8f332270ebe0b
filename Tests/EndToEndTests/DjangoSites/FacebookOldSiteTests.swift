import TestSupport
import Testing

/// Facebook at django-rest-auth 0.9.5. The released version accepts no token; with one line fixed it works.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct FacebookOldSiteTests {
    @Test func `django-rest-auth as released does not support Facebook`() throws {
        let world = try Sandbox(visiting: try SharedSites.server("facebook-broken", .restAuth))
        try world.join("ada")
        for result in [try world.logIn(facebook: "tok-ann", "--json"), try world.link(facebook: "tok-ann", "--json")] {
            #expect(result.exitCode == 10)
            let error = try result.error()
            #expect(error.string("reason") == "unsupported")
            #expect(error.string("message")?.contains(#""View is not defined""#) == true)
        }
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `the fixed django-rest-auth links, shows and unlinks an identity`() throws {
        let world = try Sandbox(visiting: try SharedSites.server("facebook", .restAuth))
        try world.join("ada")
        #expect(try world.linkState(try world.link(facebook: "tok-ann", "--json")) == LinkState(true, true, "1001"))
        #expect(try world.linkState(try world.link(facebook: "tok-ann", "--json")) == LinkState(true, false, "1001"))
        #expect(try world.status() == LinkState(true, false, "1001"))
        let unlink = try world.run("link-facebook", "--unlink")
        #expect(unlink.stdout.contains("1001"))
        #expect(
            try world.linkState(try world.run("link-facebook", "--unlink", "--json")) == LinkState(false, false, nil))
    }

    @Test func `a link of another user's identity at django-rest-auth keeps that user's key valid`() throws {
        let server = try SharedSites.server("facebook", .restAuth)
        let theirs = try Sandbox(visiting: server)
        try #require(try theirs.logIn(facebook: "tok-bob").exitCode == 0)
        let key = try theirs.token("site")
        let world = try Sandbox(visiting: server)
        try world.join("bea")
        try world.run("whoami")
        let before = try world.bytes(world.siteFile)
        let taken = try world.link(facebook: "tok-bob", "--json")
        #expect(taken.exitCode == 6)
        #expect(try taken.error().string("reason") == "identity-taken")
        #expect(try world.bytes(world.siteFile) == before)
        #expect(!taken.everything.contains(key))
        #expect(world.files(holding: key) == [])
        #expect(try theirs.run("whoami").exitCode == 0)
    }

    @Test func `an identity that is the last authentication method is not unlinked`() throws {
        let server = try SharedSites.server("facebook", .restAuth)
        let world = try Sandbox(visiting: server)
        try world.join("cleo")
        try #require(try world.link(facebook: "tok-cat").exitCode == 0)
        try server.change("drop-password", "cleo")
        let refused = try world.run("link-facebook", "--unlink", "--json")
        #expect(refused.exitCode == 9)
        let error = try refused.error()
        #expect(error.string("reason") == "server-fault")
        #expect(error.string("hint")?.contains("authctl password reset ADDRESS") == true)
        #expect(try world.status() == LinkState(true, false, "1003"))
    }
}
