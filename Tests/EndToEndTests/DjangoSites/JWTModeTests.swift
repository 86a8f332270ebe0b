import TestSupport
import Testing

/// Sites with different JWT settings: without rotation, without a blacklist, with the refresh token in a cookie.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct JWTModeTests {
    @Test func `a logout without a blacklist deletes the session here and leaves it valid on the server`() throws {
        let server = try SharedSites.server("jwt-noblacklist")
        let world = try Sandbox(visiting: server)
        try world.join("ada")
        let refresh = try #require(try world.storedPair().refresh)
        let refused = try world.run("sessions", "revoke", "current", "--json")
        #expect(refused.exitCode == 10)
        #expect(try refused.error().string("reason") == "unsupported")
        let logout = try world.run("logout")
        #expect(logout.exitCode == 0)
        #expect(!world.isThere(world.siteFile))
        #expect(try server.refresh(refresh).status == 200)
        try world.logIn("ada")
        #expect(try world.run("logout", "--json").document().string("revoked") == "unsupported")
    }

    @Test func `a refresh without rotation keeps the refresh token`() throws {
        let server = try SharedSites.server("jwt-keep")
        let world = try Sandbox(visiting: server)
        try world.join("ada")
        let first = try world.storedPair()
        for _ in 0..<2 {
            let before = try world.storedPair()
            try world.letSessionRunOut("site")
            let (whoami, asked) = try server.requests { try world.run("whoami") }
            #expect(whoami.exitCode == 0)
            #expect(asked == ["POST token/refresh/ 200", "GET user/ 200"])
            #expect(try world.storedPair().access != before.access)
            #expect(try world.storedPair().refresh == first.refresh)
        }
        #expect(try world.run("logout", "--json").document().string("revoked") == "yes")
        #expect(try server.refresh(try #require(first.refresh)).status == 401)
    }

    @Test(arguments: ["jwt-cookie", "jwt-nocookie"])
    func `a session without a refresh token expires`(mode: String) throws {
        let server = try SharedSites.server(mode, environment: ["ACCESS_SECONDS": "0"])
        let world = try Sandbox(visiting: server)
        try world.join("ada")
        let login = try world.logIn("ada", "--json")
        #expect(login.exitCode == 0)
        #expect(try login.document().object("session").string("expiresAt") != nil)
        #expect(try world.storedPair().refresh == nil)
        let (results, asked) = try server.requests {
            try [["whoami"], ["whoami", "--offline"], ["token"], ["exec", "--", "true"], ["sessions"]].map {
                try world.start($0).wait()
            }
        }
        for result in results {
            #expect(result.exitCode == 4)
            #expect(result.stderr.contains("authctl login\n"), "\(result.stderr)")
        }
        #expect(asked.allSatisfy { $0 == "GET user/ 401" }, "\(asked)")
        #expect(try world.run("token", "--json").error().string("reason") == "session-expired")
        #expect(try world.run("whoami", "--json").document().string("state") == "expired")

        let (logout, askedAtLogout) = try server.requests { try world.run("logout", "--json") }
        #expect(logout.exitCode == 0)
        #expect(try logout.document().string("revoked") == "unsupported")
        #expect(askedAtLogout == [])
        #expect(!world.isThere(world.siteFile))
    }

    @Test func `a signup with JWTs and mandatory verification is pending until the key is given`() throws {
        let server = try SharedSites.server("jwt-mandatory")
        let world = try Sandbox(visiting: server)
        let signup = try world.signUp("ada", "--email", "ada@example.com", "--json")
        #expect(signup.exitCode == 0)
        #expect(try signup.document().string("pending") == "email-verification")
        #expect(try signup.document().isNull("session"))
        #expect(!world.isThere(world.siteFile))
        let early = try world.logIn("ada@example.com", "--json")
        #expect(early.exitCode == 5)
        #expect(try early.error().string("reason") == "email-unverified")
        let key = try #require(server.mails.last?.verificationKey)
        #expect(try world.run("verify-email", "--key", key, "--json").document().flag("verified") == true)
        #expect(try world.logIn("ada@example.com").exitCode == 0)
        #expect(try world.run("whoami").stdout.hasPrefix("ada "))
        #expect(try world.changePassword().exitCode == 0)
        #expect(try server.liveRefreshTokens(of: "ada") == 1)
    }
}
