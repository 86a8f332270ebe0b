import Foundation
import TestSupport
import Testing

/// Facebook device login at every kind of site: authctl shows a code and polls Facebook until the user enters it.
///
/// The tests run in parallel on sites of the same kind, so each uses its own Facebook user.
@Suite(.enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites, .mostlyWaits)
struct DeviceLoginSiteTests {
    @Test(arguments: FacebookPlace.allCases)
    func `a device code links an identity and unlinks it`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place)
        let world = visitor.world
        try world.join("ada")
        let link = try world.run("link-facebook")
        #expect(link.stdout.contains("1002"), "\(link.stderr)")
        #expect(link.stderr.contains("ABCD-EF"))
        #expect(link.stderr.contains("https://www.facebook.com/device?user_code=ABCD-EF"))
        #expect(try world.link(facebook: "tok-bob").exitCode == 0)
        #expect(try world.status() == LinkState(true, false, "1002"))
        let unlink = try world.run("link-facebook", "--unlink")
        #expect(unlink.stdout.contains("1002"), "\(unlink.stderr)")
        #expect(
            try world.linkState(try world.run("link-facebook", "--unlink", "--json")) == LinkState(false, false, nil))
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: FacebookPlace.allCases)
    func `a device code logs in, and the logout leaves Facebook alone`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, "gives-tok-cat", graph: try GraphServer())
        let world = visitor.world
        let login = try world.run("login", "--facebook", "--json")
        #expect(login.exitCode == 0, "\(login.stderr)")
        let user = try login.document().object("user")
        #expect(user.string("username") == "cat")
        let code = try JSONDocument(line: Data(login.stderr.utf8))
        #expect(
            code.keys == [
                "v", "kind", "userCode", "verificationUri", "verificationUriComplete", "expiresAt", "interval",
            ])
        #expect(code.string("kind") == "device-code")
        #expect(code.string("verificationUri") == "https://www.facebook.com/device")
        #expect(code.number("interval") == 1)
        #expect(visitor.keepsNothing)

        let (logout, asked) = try visitor.questions { try world.run("logout") }
        #expect(logout.exitCode == 0)
        #expect(asked == [])
        let again = try world.logIn(facebook: "tok-cat", "--json")
        #expect(try again.document().object("user").string("id") == user.string("id"))
    }

    @Test(arguments: FacebookPlace.allCases)
    func `a link without a saved session requests no device code`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, graph: try GraphServer())
        let (link, asked) = try visitor.questions { try visitor.world.run("link-facebook", "--json") }
        try link.refusal(3, "no-session")
        #expect(asked == [])
    }

    @Test(arguments: [FacebookPlace.djRestAuth, .allauthTokens])
    func `a device code never links another account than the one it was requested for`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, "every-2", graph: try GraphServer())
        let world = visitor.world
        try world.join("bea")
        let other = try visitor.another()
        other.tell("every-2")
        try other.world.join("bo")
        let link = try visitor.startWaiting(["link-facebook"])
        let late = try other.startWaiting(["link-facebook"])
        try world.join("ben")
        try other.world.run("logout")
        let replaced = link.wait()
        #expect(replaced.exitCode == 4)
        #expect(try world.status() == LinkState(false, false, nil))

        #expect(late.wait().exitCode == 3)
        #expect(!other.world.isThere(other.world.siteFile))
        #expect(visitor.keepsNothing && other.keepsNothing)
    }

    /// The session expires before the code is entered.
    @Test(arguments: [FacebookPlace.djRestAuthTokens, .allauthTokens])
    func `a session that expires while the code is entered is refreshed once`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, "gives-tok-dan", graph: try GraphServer())
        let world = visitor.world
        try world.join("cleo")
        let before = try world.storedPair()
        let link = try visitor.startWaiting(["link-facebook"])
        try world.letSessionRunOut("site")
        #expect(link.wait().stdout.contains("1007"))
        #expect(try world.storedPair() != before)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(visitor.keepsNothing)
    }
}
