import TestSupport
import Testing

/// Accounts from signup to logout at a site with JWTs, where a refresh token is valid once.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct JWTLifecycleTests {
    private let server: DjangoServer
    private let world: Sandbox

    init() throws {
        server = try SharedSites.server("jwt")
        world = try Sandbox(visiting: server)
    }

    @Test func `an account with JWTs works from signup to logout`() throws {
        try AccountStory(world: world, backend: "rest-auth", server: server.url).run()
    }

    @Test func `a signup with JWTs starts a session that is refreshed automatically`() throws {
        let signup = try world.signUp("amy", "--email", "amy@example.com", "--json")
        #expect(signup.exitCode == 0)
        let session = try signup.document().object("session")
        #expect(session.string("createdAt") != nil)
        #expect(session.string("expiresAt") != nil)
        #expect(try signup.document().object("user").string("username") == "amy")
        let pair = try world.storedPair()
        #expect(!signup.everything.contains(pair.access))
        #expect(try !signup.everything.contains(#require(pair.refresh)))

        let whoami = try world.run("whoami")
        #expect(whoami.stdout.contains("amy@example.com"))
        let document = try world.run("whoami", "--json").document()
        #expect(document.string("state") == "valid")
        #expect(document.flag("checked") == true)
        #expect(try world.token("site") == pair.access)
        #expect(try server.accepts(pair.access))
    }

    @Test func `login and exec provide a JWT that other programs can use`() throws {
        try world.join("bea")
        let login = try world.logIn("bea@example.com")
        #expect(login.stdout.contains("bea"))
        let inner = try world.run(
            "exec", "--", "env", "AUTHCTL_CONFIG_DIR=\(world.root)/elsewhere", BuiltBinary.path, "whoami", "--json")
        #expect(inner.exitCode == 0)
        #expect(try inner.document().string("source") == "environment")
        #expect(try inner.document().object("user").string("username") == "bea")

        let token = try world.token("site")
        let kept = try world.run("login", "--token-stdin", input: "\(token)\n")
        #expect(kept.stdout.contains("bea"))
        #expect(try world.storedPair().refresh == nil)
        #expect(try world.run("whoami").stdout.contains("refreshed") == false)
        let refused = try world.run("login", "--token-stdin", "--json", input: "\(token)x\n")
        #expect(refused.exitCode == 4)
        #expect(try refused.error().string("reason") == "token-refused")
    }

    @Test func `a password change checks the current password and leaves no extra session`() throws {
        try world.join("dora")
        let before = try world.bytes(world.siteFile)
        #expect(try server.liveRefreshTokens(of: "dora") == 1)
        let wrong = try world.run(
            "password", "change", "--password-stdin", "--json", input: "not that one\nanother one\n")
        #expect(wrong.exitCode == 4)
        #expect(try wrong.error().string("reason") == "wrong-password")
        let (change, asked) = try server.requests { try world.changePassword() }
        #expect(change.exitCode == 0)
        #expect(asked == ["GET user/ 200", "POST login/ 200", "POST logout/ 200", "POST password/change/ 200"])
        #expect(try server.liveRefreshTokens(of: "dora") == 1)
        #expect(try world.bytes(world.siteFile) == before)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.logIn("dora").exitCode == 4)
        #expect(try world.run("login", "dora", "--password-stdin", input: "\(Sandbox.newPassword)\n").exitCode == 0)
    }

    @Test func `a logout revokes the refresh token, and a second logout succeeds`() throws {
        try world.join("fay")
        let refresh = try #require(try world.storedPair().refresh)
        let logout = try world.run("logout")
        #expect(logout.stderr.isEmpty)
        #expect(logout.exitCode == 0)
        #expect(!world.isThere(world.siteFile))
        let refused = try server.refresh(refresh)
        #expect(refused.status == 401)
        #expect(refused.detail == "Token is blacklisted")
        let again = try world.run("logout", "--json")
        #expect(again.exitCode == 0)
        #expect(try again.document().flag("changed") == false)

        try world.logIn("fay")
        try world.letSessionRunOut("site")
        let (late, asked) = try server.requests { try world.run("logout", "--json") }
        #expect(try late.document().string("revoked") == "yes")
        #expect(asked == ["POST logout/ 200"])
    }
}
