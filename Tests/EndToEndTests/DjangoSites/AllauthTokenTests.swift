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

    @Test func `a login with a JWT saves a session that cannot be refreshed`() throws {
        try site.join("bea")
        let phone = try site.another().world
        let login = try phone.run("login", "--token-stdin", input: "\(try site.token)\n")
        #expect(login.stdout.contains("bea"))
        #expect(login.errorLines.count == 1)
        #expect(try phone.storedPair().refresh == nil)
        try phone.run("login", "--token-stdin", "--json", input: "\(try site.token)x\n").refusal(4, "token-refused")
        #expect(try phone.run("whoami").exitCode == 0)
    }

    @Test func `each command refreshes an expired JWT session of allauth once`() throws {
        try site.join("cleo")
        for words in [["whoami"], ["token"], ["sessions"], ["exec", "--", "true"], ["link-facebook", "--status"]] {
            try world.letSessionRunOut("site")
            let before = try world.storedPair()
            let (result, asked) = try site.requests { try world.start(words, input: .nothing).wait() }
            #expect(result.exitCode == 0, "\(words): \(result.stderr)")
            #expect(asked.filter { $0.hasPrefix("POST tokens/refresh") } == ["POST tokens/refresh 200"], "\(words)")
            let after = try world.storedPair()
            #expect(after.access != before.access && after.refresh != before.refresh)
            for secret in [before.refresh, after.refresh].compactMap(\.self) {
                #expect(!result.everything.contains(secret))
            }
        }
    }

    @Test func `ten processes refresh an expired session of allauth once`() throws {
        try site.join("dora")
        try world.letSessionRunOut("site")
        let before = try world.storedPair()
        let (ends, asked) = try site.requests {
            try (0..<10).map { try world.start($0.isMultiple(of: 2) ? ["whoami"] : ["token"]) }.map { $0.wait() }
        }
        #expect(ends.allSatisfy { $0.exitCode == 0 && $0.stderr.isEmpty }, "\(ends.map(\.stderr))")
        #expect(asked.filter { $0.hasPrefix("POST tokens/refresh") } == ["POST tokens/refresh 200"])
        #expect(asked.count == 6)
        let after = try world.storedPair()
        #expect(after.access != before.access)
        #expect(Set(ends.map(\.stdout)).contains("\(after.access)\n"))
        #expect(try site.refresh(try #require(before.refresh)).status == 400)
        #expect(try site.refresh(try #require(after.refresh)).status == 200)
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

    @Test func `JWT sessions of allauth are listed and revoked`() throws {
        try site.join("fay")
        let phone = try site.another()
        try #require(try phone.logIn("fay").exitCode == 0)
        let items = try world.run("sessions", "--json").document().objects("items")
        #expect(items.map { $0.flag("current") } == [false, true])
        try world.letSessionRunOut("site")
        #expect(try world.run("sessions", "revoke", "--others", "--json").document().strings("revoked")?.count == 1)
        #expect(try phone.world.run("whoami").exitCode == 4)
        #expect(try phone.world.run("sessions").exitCode == 4)
        #expect(try phone.world.run("logout", "--json").document().string("revoked") == "already")
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.run("sessions", "revoke", "--all", "--json").document().flag("forgotten") == true)
        #expect(try world.run("whoami").exitCode == 3)
    }

    @Test func `a reused refresh token ends the JWT session of allauth`() throws {
        try site.join("gina")
        #expect(try site.refresh(try #require(try world.storedPair().refresh)).status == 200)
        try world.letSessionRunOut("site")
        let whoami = try world.run("whoami", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "expired")
        try world.run("link-facebook", "--status", "--json").refusal(4, "session-expired")
        #expect(try site.logIn("gina").exitCode == 0)
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
