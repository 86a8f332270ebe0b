import TestSupport
import Testing

/// JWTs at a site with allauth's headless API. They expire after minutes, and a refresh token is valid once.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthTokenTests {
    private let site: AllauthSite
    private let world: Sandbox

    init() throws {
        site = try AllauthSite("jwt")
        world = site.world
    }

    @Test func `a signup at allauth with JWTs starts a session that is refreshed automatically`() throws {
        let signup = try site.signUp("ada", "--json")
        #expect(signup.exitCode == 0)
        #expect(try signup.document().object("session").string("expiresAt") != nil)
        let pair = try world.storedPair()
        for secret in [pair.access, try #require(pair.refresh)] { #expect(!signup.everything.contains(secret)) }
        let (whoami, asked) = try site.requests { try world.run("whoami") }
        #expect(whoami.stdout.contains("refreshed automatically\n"))
        #expect(asked == ["GET auth/session 200"])
        #expect(try site.token == pair.access)
        // The site's API accepts the JWT from other programs.
        #expect(try site.server.ask("GET", "auth/session", authorization: "Bearer \(pair.access)").status == 200)
        #expect(try world.run("link-facebook", "--status").exitCode == 0)
    }

    @Test func `a logout revokes an expired JWT session of allauth`() throws {
        for runsOut in [false, true] {
            if runsOut { try site.logIn("edda") } else { try site.join("edda") }
            let access = try world.storedPair().access
            let phone = try site.another().world
            #expect(try phone.run("login", "--token-stdin", input: "\(access)\n").exitCode == 0)
            if runsOut { try world.letSessionRunOut("site") }
            let logout = try world.run("logout", "--json")
            #expect(logout.exitCode == 0)
            #expect(try logout.document().string("revoked") == "yes")
            #expect(!world.isThere(world.sessionFile("site")))
            let dead = try phone.run("whoami", "--json")
            #expect(dead.exitCode == 4)
            #expect(try dead.document().object("error").string("reason") == "session-revoked")
        }
    }

    /// The site replaces the JWTs by a session token and revokes them.
    @Test func `a password change at allauth with JWTs starts a session without JWTs`() throws {
        try site.join("hana")
        let before = try world.storedPair()
        #expect(try site.changePassword(from: Sandbox.password, to: Sandbox.newPassword).exitCode == 0)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try site.token != before.access)
        #expect(try site.refresh(try #require(before.refresh)).status == 400)
        #expect(try world.run("sessions").exitCode == 0)
        #expect(try world.run("logout", "--json").document().string("revoked") == "yes")
        #expect(try site.logIn("hana", password: Sandbox.newPassword).exitCode == 0)
        #expect(try world.storedPair().refresh != nil)
    }

    @Test func `a session whose JWT expires in real time is refreshed`() throws {
        let short = try AllauthSite("jwt", environment: ["ACCESS_SECONDS": "3"])
        try short.join("ada")
        let access = try short.world.storedPair().access
        // Waits until the server rejects the JWT.
        while try short.server.ask("GET", "auth/session", authorization: "Bearer \(access)").status == 200 {}
        #expect(try short.world.run("whoami").exitCode == 0)
        let refreshed = try short.world.storedPair().access
        #expect(refreshed != access)
        // The same with a stored expiry far in the future.
        while try short.server.ask("GET", "auth/session", authorization: "Bearer \(refreshed)").status == 200 {}
        try short.world.rewriteSession("site") {
            $0.replacing(/"expiresAt":[0-9]+/, with: #""expiresAt":4102444800"#)
        }
        let (whoami, asked) = try short.requests { try short.world.run("whoami") }
        #expect(whoami.exitCode == 0, "\(whoami.stderr)")
        #expect(asked == ["GET auth/session 401", "POST tokens/refresh 200", "GET auth/session 200"])
        #expect(try short.world.run("logout", "--json").document().string("revoked") == "yes")
    }
}

extension AllauthSite {
    /// Sends a refresh token and returns the response. A valid token is used up.
    fileprivate func refresh(_ token: String) throws -> DjangoServer.Answer {
        try server.post("tokens/refresh", #"{"refresh_token":"\#(token)"}"#)
    }
}
