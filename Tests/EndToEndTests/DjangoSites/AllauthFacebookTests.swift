import TestSupport
import Testing

/// Facebook identities at a site with allauth's headless API; see `graph.py` for who they are.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthFacebookTests {
    private let site: AllauthSite
    private let world: Sandbox

    init() throws {
        site = try AllauthSite("none")
        world = site.world
    }

    @Test func `identities are linked, told and unlinked`() throws {
        try site.join("ada")
        let token = try site.token
        #expect(
            try world.run("link-facebook", "--status").stdout == "no Facebook identity is linked (profile 'site')\n")
        let link = try world.link(facebook: "tok-ann")
        #expect(link.stdout == "linked Facebook identity 1001 (profile 'site')\n", "\(link.stderr)")
        #expect(link.stderr.isEmpty)
        #expect(
            try world.link(facebook: "tok-ann").stdout
                == "Facebook identity 1001 was linked already (profile 'site')\n")
        #expect(try world.linkState(try world.link(facebook: "tok-ann", "--json")) == LinkState(true, false, "1001"))
        #expect(try world.status() == LinkState(true, false, "1001"))
        // A second one takes the place of none.
        #expect(try world.linkState(try world.link(facebook: "tok-bob", "--json")) == LinkState(true, true, "1002"))
        #expect(try world.status().isLinked == true)
        #expect(try world.linkState(try world.link(facebook: "tok-bob", "--json")).hasChanged == false)

        let unlink = try world.run("link-facebook", "--unlink", "--json")
        #expect(try world.linkState(unlink).hasChanged == true)
        #expect(try world.status() == LinkState(false, false, nil))
        let again = try world.run("link-facebook", "--unlink")
        #expect(again.exitCode == 0)
        #expect(again.stdout == "no Facebook identity was linked (profile 'site')\n")
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try site.server.session(token).status == 200)
        #expect(world.files(holding: "tok-") == [])
    }

    @Test func `an identity of somebody else is told, and nothing of theirs is shown`() throws {
        let theirs = try site.another()
        try #require(try theirs.world.logIn(facebook: "tok-cat").exitCode == 0)
        try site.join("bea")
        let before = try world.bytes(world.sessionFile("site"))
        let text = try world.link(facebook: "tok-cat", "-v")
        #expect(text.exitCode == 6)
        #expect(text.stderr.contains("that Facebook identity belongs to another account\n"))
        let json = try world.link(facebook: "tok-cat", "--json")
        try json.refusal(6, "identity-taken")
        for secret in ["tok-cat", "cat.face@example.com", try theirs.token, try site.token] {
            #expect(!(text.everything + json.everything).contains(secret))
        }
        #expect(try world.bytes(world.sessionFile("site")) == before)
        #expect(try world.status() == LinkState(false, false, nil))
        try theirs.world.run("logout")
    }

    @Test(arguments: ["tok-bad", "tok-expired", "tok-otherapp", "tok-500", "tok-html", "tok-drop"])
    func `a token that Facebook, or the site, does not take is refused`(token: String) throws {
        let login = try world.logIn(facebook: token, "--json")
        try login.refusal(4, "token-refused")
        #expect(!login.everything.contains(token))
        try site.join("user\(token.drop { $0 != "-" })")
        let link = try world.link(facebook: token)
        #expect(link.exitCode == 4)
        #expect(
            link.stderr.contains(
                "the Facebook token is not accepted, or Facebook cannot be reached by the site\n"))
        #expect(link.stderr.contains("is it of the Facebook app that the server knows, and still good?\n"))
        #expect(!link.everything.contains(token))
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `a log-in makes an account, and finds it again; its only way in stays`() throws {
        let first = try world.logIn(facebook: "tok-dan")
        #expect(first.exitCode == 0, "\(first.stderr)")
        #expect(first.stdout == "logged in as dan (profile 'site', \(site.server.url))\n")
        let id = try world.run("whoami", "--json").document().object("user").string("id")
        #expect(try world.run("logout").exitCode == 0)
        let again = try world.logIn(facebook: "tok-dan", "--json").document()
        #expect(try again.object("user").string("id") == id)

        let unlink = try world.run("link-facebook", "--unlink")
        #expect(unlink.exitCode == 5)
        #expect(unlink.stderr.contains("it is the last way to log in to the account\n"))
        #expect(
            unlink.stderr.contains("set a password first: authctl password reset dan.face@example.com\n"))
        try world.run("link-facebook", "--unlink", "--json").refusal(5, "forbidden")
        #expect(try world.status().isLinked == true)
    }

    @Test func `where Facebook tells no address, it is said what to do`() throws {
        let text = try world.logIn(facebook: "tok-noemail")
        #expect(text.exitCode == 7)
        #expect(text.stderr.contains("Facebook tells no address, and the site wants one\n"))
        #expect(
            text.stderr.contains(
                "make an account with an address, then link it: authctl link-facebook --token-file FILE\n"))
        try world.logIn(facebook: "tok-noemail", "--json").refusal(7, "invalid-fields")
        // As it says.
        try site.join("eve")
        #expect(try world.link(facebook: "tok-noemail").exitCode == 0)
        #expect(try world.run("logout").exitCode == 0)
        #expect(try world.logIn(facebook: "tok-noemail").stdout.hasPrefix("logged in as eve "))
    }

    @Test func `an address that an account has is not taken over`() throws {
        try site.join("local")
        let token = try site.token
        let text = try world.logIn(facebook: "tok-taken")
        #expect(text.exitCode == 6)
        #expect(text.stderr.contains("an account has the address that Facebook tells\n"))
        #expect(text.stderr.contains("authctl link-facebook --token-file FILE"))
        try world.logIn(facebook: "tok-taken", "--json").refusal(6, "email-taken")
        #expect(try site.token == token)
    }

    @Test func `where Facebook is down, it may be that, too`() throws {
        let lonely = try AllauthSite(at: try DjangoServer(.allauth))
        try lonely.join("fay")
        let link = try lonely.world.link(facebook: "tok-ann", "--json")
        #expect(try link.refusal(4, "token-refused").string("message")?.contains("Facebook cannot be reached") == true)
        #expect(try lonely.world.status() == LinkState(false, false, nil))
    }

    @Test func `where nobody is logged in, no token is sent`() throws {
        let (link, asked) = try site.requests { try world.link(facebook: "tok-ann", "--json") }
        try link.refusal(3, "no-session")
        #expect(asked == [])
    }
}
