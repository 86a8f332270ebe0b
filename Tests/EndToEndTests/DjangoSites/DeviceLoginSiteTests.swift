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

    @Test(arguments: [
        ["link-facebook"], ["login", "--facebook"],
    ])
    func `Ctrl-C ends a device login at once`(words: [String]) throws {
        let visitor = try FacebookVisitor(.allauth, "every-60")
        let world = visitor.world
        try world.join("tim\(words.count)\(words.last?.dropFirst(2) ?? "")")
        let files = world.snapshot()
        let terminal = try PseudoTerminal()
        let settings = terminal.settingsText
        let program = try world.start(words, terminal: terminal)
        #expect(terminal.waitFor("7 minutes"))
        let start = Date()
        terminal.type("\u{3}")
        #expect(program.wait().signal == SIGINT)
        #expect(Date().timeIntervalSince(start) < 5)
        #expect(terminal.settingsText == settings)
        #expect(world.snapshot() == files)
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func `a signal ends a device login`(signal: Int32) throws {
        let visitor = try FacebookVisitor(.allauth, "every-60")
        let login = try visitor.startWaiting(["login", "--facebook"])
        login.send(signal)
        #expect(login.wait(atMost: .seconds(5)).signal == signal)
        #expect(!visitor.world.isThere(visitor.world.siteFile))
    }
}
