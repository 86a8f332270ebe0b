import TestSupport
import Testing

/// Accounts from signup to logout at a site with allauth's headless API that requires no verified address.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthLifeTests {
    private let site: AllauthSite
    private let world: Sandbox
    private let server: DjangoServer

    init() throws {
        site = try AllauthSite("none")
        world = site.world
        server = site.server
    }

    @Test func `an account at allauth works from signup to logout`() throws {
        try AccountStory(world: world, backend: "allauth", server: server.url).run()
    }

    @Test func `a username at allauth may hold an at sign`() throws {
        let signup = try world.start(
            ["signup", "bo@home", "--email", "bo@example.com", "--password-stdin"], input: .password
        ).wait()
        #expect(signup.exitCode == 0)
        let (login, asked) = try site.requests { try site.logIn("bo@home", "-q") }
        #expect(login.exitCode == 0, "\(login.stderr)")
        #expect(asked == ["POST auth/login 400", "POST auth/login 200"])
        try site.logIn("bo@home", "--json", password: "not that one").refusal(4, "wrong-password")
    }

    @Test func `a second login at allauth keeps the first session valid`() throws {
        try site.join("cleo")
        let first = try site.token
        let login = try site.logIn("cleo")
        #expect(login.stderr.contains("'cleo'"))
        #expect(try site.token != first)
        #expect(try server.session(first).status == 200)
        #expect(try world.run("logout").exitCode == 0)
        #expect(try server.session(first).status == 200)
    }

    /// The server responds with 410 to every request with a revoked session.
    @Test func `each command reports a session that was revoked at allauth`() throws {
        try site.join("gina")
        _ = try server.ask("DELETE", "auth/session", options: ["-H", "X-Session-Token: \(try site.token)"])
        let whoami = try world.run("whoami", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(try whoami.document().object("error").string("reason") == "session-revoked")
        #expect(try whoami.document().object("error").number("http") == 410)
        for words in [["sessions"], ["sessions", "revoke", "--all"], ["link-facebook", "--status"], ["verify-email"]] {
            let text = try world.start(words, input: .nothing).wait()
            #expect(text.exitCode == 4, "\(words): \(text.stderr)")
            #expect(text.stderr.contains("authctl login\n"))
        }
        for words in [["link-facebook", "--unlink"], ["verify-email"], ["sessions", "revoke", "--others"]] {
            try world.start(words + ["--json"], input: .nothing).wait().refusal(4, "session-revoked")
        }
        try world.run("link-facebook", "--token-stdin", "--json", input: "tok-ann\n").refusal(4, "session-revoked")
        try site.changePassword("--json", from: Sandbox.password, to: Sandbox.newPassword)
            .refusal(4, "session-revoked")
        // A login does not send the stored session.
        #expect(try site.logIn("gina", "-q").exitCode == 0)
    }
}
