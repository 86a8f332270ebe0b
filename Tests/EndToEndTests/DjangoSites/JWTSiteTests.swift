import TestSupport

/// Sessions with JWTs: refresh, expiry and revocation on sites with different settings.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct JWTSiteTests {
    @Test func `an account has one valid refresh token after a password change or a refresh, and none after a logout`()
        throws
    {
        let server = try SharedSites.server("jwt")
        let world = try Sandbox(visiting: server, as: "ada")
        let first = try world.storedPair()
        #expect(try server.accepts(first.access))
        let (change, asked) = try server.requests { try world.changePassword() }
        expect(change.exitCode, 0)
        #expect(
            asked == [
                "GET user/ 200", "POST login/ 200", "POST logout/ 200", "POST password/change/ 200", "GET user/ 200",
            ])
        try expect(server.liveRefreshTokens(of: "ada"), 1)

        try world.letSessionRunOut("site")
        let (token, askedLate) = try server.requests { try world.run("token") }
        expect(askedLate, ["POST token/refresh/ 200"])
        let second = try world.storedPair()
        #expect(token.stdout == "\(second.access)\n" && second.access != first.access)
        #expect(try server.accepts(second.access))
        try expect(server.refresh(first.refresh), 401)
        try expect(server.liveRefreshTokens(of: "ada"), 1)

        try world.letSessionRunOut("site")
        let (logout, askedLast) = try server.requests { try world.run("logout", "--json") }
        try expect(logout.document().string("revoked"), "yes")
        expect(askedLast, ["POST logout/ 200", "POST logout/ 401"])
        try expect(server.refresh(second.refresh), 401)
        try expect(server.liveRefreshTokens(of: "ada"), 0)
    }

    @Test func `ten processes with the same expired session send one refresh in total, and all succeed`() throws {
        let server = try SharedSites.server("jwt")
        let world = try Sandbox(visiting: server, as: "bea")
        try world.letSessionRunOut("site")
        let words = (0..<10).map { $0.isMultiple(of: 2) ? ["whoami"] : ["token"] }
        let (ends, asked) = try server.requests {
            try words.map { try world.start($0, input: .password) }.map { $0.wait() }
        }
        #expect(ends.allSatisfy { $0.exitCode == 0 && $0.stderr.isEmpty }, "\(ends.map(\.stderr))")
        expect(asked.count { $0 == "POST token/refresh/ 200" }, 1)
        expect(asked.count, 6)
        let after = try world.storedPair()
        expect(Set(zip(words, ends).filter { $0.0 == ["token"] }.map(\.1.stdout)), ["\(after.access)\n"])
        try expect(server.liveRefreshTokens(of: "bea"), 1)
    }

    @Test func `a logout from a site without a token blacklist leaves the refresh token valid`() throws {
        let server = try SharedSites.server("jwt-noblacklist")
        let world = try Sandbox(visiting: server, as: "ada")
        let refresh = try world.storedPair().refresh
        try world.run("sessions", "revoke", "current", "--json").refusal(10, "unsupported")
        try expect(world.run("logout", "--json").document().string("revoked"), "unsupported")
        #expect(!world.isThere(world.siteFile))
        try expect(server.refresh(refresh), 200)
    }

    @Test func `a refresh at a site without refresh token rotation keeps the refresh token`() throws {
        let server = try SharedSites.server("jwt-keep")
        let world = try Sandbox(visiting: server, as: "ada")
        let first = try world.storedPair()
        for _ in 0..<2 {
            try world.letSessionRunOut("site")
            let (whoami, asked) = try server.requests { try world.run("whoami") }
            expect(whoami.exitCode, 0)
            expect(asked, ["POST token/refresh/ 200", "POST token/verify/ 200", "GET user/ 200"])
            #expect(try world.storedPair().access != first.access)
            try expect(world.storedPair().refresh, first.refresh)
        }
    }

    @Test func `authctl saves each new refresh token that dj-rest-auth sends in a cookie`() throws {
        let server = try SharedSites.server("jwt-cookie")
        let world = try Sandbox(visiting: server, as: "ada")
        // The body of a signup response contains the refresh token; the body of a login response does not.
        try expect(world.logIn("ada").exitCode, 0)
        for _ in 0..<2 {
            let before = try #require(try world.storedPair().refresh)
            try world.letSessionRunOut("site")
            let (whoami, asked) = try server.requests { try world.run("whoami") }
            #expect(whoami.stdout.contains("refreshed automatically"))
            expect(asked, ["POST token/refresh/ 200", "GET user/ 200"])
            #expect(try world.storedPair().refresh != before)
            try expect(server.refresh(before), 401)
        }
        // For a logout, the site reads the refresh token only from its cookie.
        let last = try world.storedPair().refresh
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
        try expect(server.refresh(last), 401)
    }

    @Test func `if a site sends refresh tokens only at signup, a signup allows one refresh and a login none`() throws {
        let server = try SharedSites.server("jwt-nocookie")
        let world = try Sandbox(visiting: server, as: "ada")
        try world.letSessionRunOut("site")
        let (whoami, asked) = try server.requests { try world.run("whoami") }
        #expect(whoami.exitCode == 0 && !whoami.stdout.contains("refreshed automatically"))
        expect(asked, ["POST token/refresh/ 200", "POST token/verify/ 400", "GET user/ 200"])
        #expect(try world.text(world.siteFile).contains(#""refreshRejected":true"#))
        for isAfterLogin in [false, true] {
            if isAfterLogin {
                try expect(world.logIn("ada").exitCode, 0)
                try expect(world.storedPair().refresh, nil)
            }
            try world.letSessionRunOut("site")
            try expect(world.run("token", "--json").error().string("reason"), "session-expired")
            try expect(world.run("logout", "--json").document().string("revoked"), "unsupported")
        }
    }

    @Test func `an expired JWT of allauth is refreshed, and a logout revokes an expired session`() throws {
        let server = try SharedSites.server("jwt", .allauth, environment: ["ACCESS_SECONDS": "3"])
        func accepts(_ access: String) throws -> Bool {
            try server.ask("GET", "auth/session", authorization: "Bearer \(access)").status == 200
        }
        let world = try Sandbox(visiting: server, as: "ada")
        let first = try world.storedPair().access
        #expect(try accepts(first))
        while try accepts(first) {}
        // allauth itself accepts the session token.
        try expect(world.run("whoami").exitCode, 0)
        // The clock of this machine may let the token live for another second.
        try world.letSessionRunOut("site")
        try expect(world.run("token").exitCode, 0)
        let second = try world.storedPair().access
        #expect(second != first)
        // A rejected token is refreshed even if the stored expiry is far in the future.
        while try accepts(second) {}
        try world.rewriteSession("site") {
            $0.replacing(/"expiresAt":[0-9]+/, with: #""expiresAt":4102444800"#)
        }
        let (items, asked) = try server.requests { try world.run("api", "/api/items/") }
        expect(items.exitCode, 0, "\(items.stderr)")
        expect(asked, ["GET /api/items/ 401", "POST tokens/refresh 200", "GET /api/items/ 200"])

        let third = try world.storedPair().access
        try world.letSessionRunOut("site")
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
        #expect(try !accepts(third))
    }
}
