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

    @Test func `allauth accepts username and e-mail in any case`() throws {
        try site.join("bea")
        for name in ["bea", "BEA", "bea@example.com", "Bea@Example.COM"] {
            let login = try site.logIn(name, "-q")
            #expect(login.exitCode == 0, "\(login.stderr)")
        }
        try site.logIn("bea", "--json", password: "not that one").refusal(4, "wrong-password")
        try site.logIn("bea@example.com", "--json", password: "not that one").refusal(4, "wrong-password")
        let nobody = try site.logIn("nobody")
        #expect(nobody.exitCode == 4)
        #expect(nobody.stderr.contains("authctl signup nobody"))
        #expect(try world.run("whoami").exitCode == 0)
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

    @Test func `a login with a token at allauth saves a valid session only`() throws {
        try site.join("dora")
        let token = try site.token
        let phone = try site.another().world
        let login = try phone.run("login", "--token-stdin", input: "\(token)\n")
        #expect(login.stdout.contains("dora"))
        #expect(try phone.token("site") == token)
        let bad = try phone.run("login", "--token-stdin", "--json", input: "0123456789abcdef\n")
        try bad.refusal(4, "token-refused")
        #expect(try phone.token("site") == token)
        #expect(try phone.run("logout").exitCode == 0)
        #expect(try world.run("whoami").exitCode == 4)
    }

    @Test func `a signup with --no-login at allauth saves no session`() throws {
        let (signup, asked) = try site.requests { try site.signUp("edda", "--no-login") }
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("edda"))
        #expect(signup.stderr.isEmpty)
        #expect(!world.isThere(world.sessionFile("site")))
        #expect(asked == ["POST auth/signup 200", "DELETE auth/session 401"])
        #expect(try site.logIn("edda").exitCode == 0)
    }

    @Test func `a logout of a revoked session at allauth reports it`() throws {
        try site.join("fay")
        _ = try server.ask("DELETE", "auth/session", options: ["-H", "X-Session-Token: \(try site.token)"])
        let logout = try world.run("logout")
        #expect(logout.exitCode == 0)
        try site.logIn("fay")
        _ = try server.ask("DELETE", "auth/session", options: ["-H", "X-Session-Token: \(try site.token)"])
        #expect(try world.run("logout", "--json").document().string("revoked") == "already")
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

    @Test func `a login to a disabled or deleted account at allauth is rejected`() throws {
        try site.join("hana")
        try server.change("deactivate", "hana")
        #expect(try world.run("whoami").exitCode == 4)
        let login = try site.logIn("hana")
        #expect(login.exitCode == 5)
        #expect(login.exitCode == 5)
        try site.logIn("hana", "--json").refusal(5, "account-disabled")
        // The server reports a disabled account only to a user who knows the password.
        try site.logIn("hana", "--json", password: "not that one").refusal(4, "wrong-password")
        try server.change("delete", "hana")
        try site.logIn("hana", "--json").refusal(4, "wrong-password")
        #expect(try world.run("whoami").exitCode == 4)
        #expect(try world.run("logout").exitCode == 0)
    }
}
