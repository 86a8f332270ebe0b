import TestSupport
import Testing

/// Expired sessions at a fake of Kii Cloud. Both tokens are refreshed once and saved before use.
@Suite struct KiiRefreshTests {
    private static let refresh = "POST oauth2/token 200"

    @Test(arguments: [["whoami"], ["token"], ["exec", "--", "true"], ["sessions"], ["link-facebook", "--status"]])
    func `each command refreshes an expired Kii session once`(words: [String]) throws {
        let site = try KiiSite("refresh", "expires=3600")
        try site.joinAndLogIn()
        try site.world.letSessionRunOut("site")
        let before = try site.world.storedPair()
        let (result, asked) = try site.server.requests { try site.world.start(words).wait() }
        #expect(result.exitCode == 0, "\(result.stderr)")
        #expect(asked.first == Self.refresh)
        #expect(asked.filter { $0 == Self.refresh }.count == 1)
        let after = try site.world.storedPair()
        #expect(after.access != before.access && after.refresh != before.refresh && after.refresh != nil)
        #expect(try site.world.run("whoami").exitCode == 0)
        #expect(try site.server.test("live", of: "ada") == "1 1")
    }

    /// The session of a signup has no expiry.
    @Test func `a Kii session is refreshed once after the server rejects it`() throws {
        let site = try KiiSite("refresh")
        try site.join()
        try site.server.test("run-out", of: "ada")
        let (whoami, asked) = try site.requests("whoami")
        #expect(whoami.exitCode == 0)
        #expect(asked == ["GET users/me 403", Self.refresh, "GET users/me 200"])
        try site.server.test("run-out", of: "ada")
        let passwords: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
        let (change, changing) = try site.requests("password", "change", "--password-stdin", input: passwords)
        #expect(change.exitCode == 0, "\(change.stderr)")
        #expect(
            changing == [
                "GET users/me 403", Self.refresh, "GET users/me 200", "PUT users/me/password 204", Self.refresh,
            ])
        #expect(try site.server.test("live", of: "ada") == "1 1")
    }

    @Test func `ten processes refresh an expired Kii session once`() throws {
        let site = try KiiSite("refresh", "expires=3600")
        try site.joinAndLogIn()
        try site.world.letSessionRunOut("site")
        let (ends, asked) = try site.server.requests {
            try (0..<10).map { try site.world.start([$0.isMultiple(of: 2) ? "whoami" : "token"]) }.map { $0.wait() }
        }
        #expect(ends.allSatisfy { $0.exitCode == 0 && $0.stderr.isEmpty }, "\(ends.map(\.stderr))")
        #expect(asked.filter { $0.hasPrefix("POST") } == [Self.refresh])
        #expect(asked.filter { $0 == "GET users/me 200" }.count == 5)
        let token = try site.world.token("site")
        let printed = ends.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element.stdout)
        #expect(Set(printed) == ["\(token)\n"])
        #expect(try site.server.test("live", of: "ada") == "1 1")
    }

    /// A login whose saved session has expired and has a refresh token that was used already.
    private func siteWithUsedRefreshToken() throws -> KiiSite {
        let site = try KiiSite("refresh", "expires=3600")
        try site.joinAndLogIn()
        try site.world.letSessionRunOut("site")
        let old = try site.world.text(site.world.siteFile)
        try site.world.run("whoami")
        try site.world.write(old, to: site.world.siteFile)
        return site
    }

    @Test func `a used refresh token of Kii leads to a hint to log in`() throws {
        let site = try siteWithUsedRefreshToken()
        for (words, requests) in [(["whoami"], ["POST oauth2/token 403"]), (["token"], []), (["sessions"], [])] {
            let (result, asked) = try site.server.requests { try site.world.start(words).wait() }
            #expect(result.exitCode == 4)
            #expect(result.stderr.contains("authctl login\n"))
            #expect(asked == requests)
        }
    }

    @Test func `ten processes send a rejected refresh token of Kii once`() throws {
        let site = try siteWithUsedRefreshToken()
        let (ends, asked) = try site.server.requests {
            try (0..<10).map { _ in try site.world.start(["token"]) }.map { $0.wait() }
        }
        #expect(ends.allSatisfy { $0.exitCode == 4 && $0.stdout.isEmpty }, "\(ends.map(\.stderr))")
        #expect(asked == ["POST oauth2/token 403"])
    }

    /// A password change on another device revokes the refresh token as well.
    @Test(arguments: [(isExpired: false, "rejected", "session-revoked"), (true, "expired", "session-expired")])
    func `a Kii session whose refresh token is rejected is expired only if its expiry has passed`(
        isExpired: Bool, state: String, reason: String
    ) throws {
        let site = try KiiSite("refresh", "expires=3600")
        try site.joinAndLogIn()
        let other = try site.another()
        try #require(other.world.logIn("ada").exitCode == 0)
        let passwords: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
        try #require(other.requests("password", "change", "--password-stdin", input: passwords).result.exitCode == 0)
        if isExpired { try site.world.letSessionRunOut("site") }
        let (whoami, asked) = try site.requests("whoami", "--json")
        #expect(asked == (isExpired ? [] : ["GET users/me 403"]) + ["POST oauth2/token 403"])
        #expect(whoami.exitCode == 4)
        let document = try whoami.document()
        #expect(document.string("state") == state)
        #expect(whoami.stdout.contains("\"reason\":\"\(reason)\""))
    }

    @Test func `a rejected Kii session without refresh token stays rejected`() throws {
        let site = try KiiSite()
        try site.join()
        try site.server.test("run-out", of: "ada")
        let (whoami, asked) = try site.requests("whoami", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(asked == ["GET users/me 403"])
    }
}
