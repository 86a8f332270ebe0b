import TestSupport

/// Identities of providers other than Facebook. `limited_login.py` creates the ID tokens of Google and of the OpenID
/// Connect issuer.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct IdentitySiteTests {
    @Test(arguments: ["none", "jwt"])
    func `allauth accepts ID tokens of its test provider and of an OpenID Connect issuer`(mode: String) throws {
        let server = try SharedSites.server(mode, .allauth)
        let (world, graph) = (try Sandbox(visiting: server), try #require(server.graph))
        let idToken = { (user: String, claims: [String: String]) in
            let claims = claims.merging(["iss": "\(graph.url)/issuer"]) { own, _ in own }
            return try graph.idToken(sub: user, aud: "the-app", claims)
        }

        let dummy = #"{"id":"7","email":"ivy@example.com"}"#
        let created = try world.logIn(at: "dummy", with: dummy, "--json").document().object("user").string("id")
        try world.run("link", "dummy", "--unlink", "--json").refusal(5, "forbidden")
        let first = try idToken("u1", [:])
        #expect(try world.link(to: "company", with: first).stdout.contains("u1"))
        try world.link(to: "company", with: first, "--json").refusal(4, "token-refused")
        #expect(try world.run("link", "--status").stdout.hasSuffix("dummy: 7\ncompany: u1\n"))
        for defect in [["aud": "another-app"], ["signature": "wrong"], ["exp": "-5"]] {
            let login = try world.logIn(at: "company", with: try idToken("u1", defect))
            expect(login.exitCode, 4, "\(defect) \(login.stderr)")
        }
        let theirs = try Sandbox(visiting: server)
        try expect(theirs.logIn(at: "company", with: try idToken("u2", ["email": "uma@example.com"])).exitCode, 0)
        try world.link(to: "company", with: try idToken("u2", [:]), "--json").refusal(6, "identity-taken")
        let other = try world.link(to: "google", with: try idToken("u1", [:]), "--json").refusal(10, "unsupported")
        expect(other.string("hint"), "it accepts 'company', 'dummy', 'facebook'")

        #expect(try world.run("link", "dummy", "--unlink").stdout.contains("dummy identity"))
        let login = try world.logIn(at: "company", with: try idToken("u1", [:]), "--json").document()
        try expect(login.object("user").string("id"), created)
        expect(world.files(holding: String(first.prefix(20))), [])
    }

    @Test(arguments: ["facebook", "facebook-jwt"])
    func `dj-rest-auth accepts Google tokens at the paths that the profile sets`(mode: String) throws {
        let server = try SharedSites.server(mode)
        let (world, theirs) = (try Sandbox(visiting: server), try Sandbox(visiting: server))
        let graph = try #require(server.graph)
        let access = "--token-stdin"
        try world.join("ada")
        try world.link(to: "google", with: "tok-ann", "--json", option: access).refusal(10, "unsupported")
        for (key, path) in [
            ("socialLoginPath.google", "auth/google/"), ("socialConnectPath.google", "auth/google/link/"),
            ("socialAccountsPath", "auth/accounts/"),
        ] {
            for sandbox in [world, theirs] {
                try expect(sandbox.run("profile", "set", "site", key, path).exitCode, 0)
            }
        }

        let link = try world.link(to: "google", with: "tok-ann", option: access)
        #expect(link.stdout.contains("1001"))
        let idTokenFile = "\(world.root)/id-token"
        func writeIDToken() throws {
            try world.write(try graph.idToken(sub: "1002", ["iss": "https://accounts.google.com"]), to: idTokenFile)
        }
        try writeIDToken()
        let both = try world.link(to: "google", with: "tok-bob", "--id-token-file", idTokenFile, option: access)
        #expect(both.stdout.contains("1002"))
        #expect(both.stderr.isEmpty)
        try writeIDToken()
        let login = try world.logIn(at: "google", with: "tok-bob", "--id-token-file", idTokenFile, option: access)
        #expect(login.stdout.contains("ada"))
        // The site fails with a server error if an ID token is used again.
        try world.logIn(at: "google", with: "tok-bob", "--id-token-file", idTokenFile, "--json", option: access)
            .refusal(9, "server-fault")
        let alone = try graph.idToken(sub: "1002", ["iss": "https://accounts.google.com"])
        #expect(try world.logIn(at: "google", with: alone).stdout.contains("ada"))

        try expect(theirs.logIn(at: "google", with: "tok-cat", option: access).exitCode, 0)
        try world.link(to: "google", with: "tok-cat", "--json", option: access).refusal(6, "identity-taken")
        // authctl requires --force: the user logged in with Google, and the account may have no password.
        try world.run("link", "google", "--unlink", "--json").refusal(5, "forbidden")
        let unlink = try world.run("link", "google", "--unlink", "--force")
        #expect(unlink.stdout.contains("Google identities 1001, 1002"), "\(unlink.stderr)")
        #expect(try world.run("link", "--status", "--json").document().objects("items").isEmpty)
        expect(world.files(holding: "tok-"), [])
    }
}

extension Sandbox {
    fileprivate func logIn(
        at provider: String, with proof: String, _ more: String..., option: String = "--id-token-stdin"
    ) throws -> Finished {
        try start(["login", "--provider", provider, option] + more, input: "\(proof)\n").wait()
    }

    fileprivate func link(
        to provider: String, with proof: String, _ more: String..., option: String = "--id-token-stdin"
    ) throws -> Finished {
        try start(["link", provider, option] + more, input: "\(proof)\n").wait()
    }
}
