import TestSupport
import Testing

/// Identities of providers other than Facebook; `limited_login.py` creates their ID tokens.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct IdentitySiteTests {
    @Test(arguments: ["none", "jwt"])
    func `allauth accepts ID tokens of its test provider and of an OpenID Connect issuer`(mode: String) throws {
        let site = try AllauthSite(mode)
        let (world, graph) = (site.world, try #require(site.server.graph))
        let idToken = { (user: String, claims: [String: String]) in
            let claims = claims.merging(["iss": "\(graph.url)/issuer"]) { own, _ in own }
            return try graph.idToken(sub: user, aud: "the-app", claims)
        }

        let dummy = #"{"id":"7","email":"ivy@example.com"}"#
        let created = try world.logIn(at: "dummy", with: dummy, "--json").document().object("user").string("id")
        try world.run("link", "dummy", "--unlink", "--json").refusal(5, "forbidden")
        let first = try idToken("u1", [:])
        #expect(try world.link(to: "company", with: first).stdout.contains("u1"))
        let used = try world.link(to: "company", with: first, "--json").refusal(4, "token-refused")
        #expect(used.strings("hints")?.last == "sites accept an ID token only once")
        #expect(try world.run("link", "--status").stdout.hasSuffix("dummy: 7\ncompany: u1\n"))
        // A repeated link names the identity of its proof, although the account has several.
        #expect(try world.link(to: "dummy", with: #"{"id":8}"#).exitCode == 0)
        let again = try world.link(to: "dummy", with: #"{"id":8}"#, "--json").document()
        #expect(again.flag("changed") == false)
        #expect(again.strings("ids") == ["8", "7"])

        for defect in [["aud": "another-app"], ["signature": "wrong"], ["exp": "-5"]] {
            let login = try world.logIn(at: "company", with: try idToken("u1", defect))
            #expect(login.exitCode == 4, "\(defect) \(login.stderr)")
            #expect(login.warnings.count == (defect["exp"] == nil ? 0 : 1))
        }
        try world.logIn(at: "company", with: try idToken("", [:]), "--json").refusal(2, "usage")
        let theirs = try site.another().world
        #expect(try theirs.logIn(at: "company", with: try idToken("u2", ["email": "uma@example.com"])).exitCode == 0)
        try world.link(to: "company", with: try idToken("u2", [:]), "--json").refusal(6, "identity-taken")

        let other = try world.link(to: "google", with: try idToken("u1", [:]), "--json").refusal(10, "unsupported")
        #expect(other.string("hint") == "it accepts 'company', 'dummy', 'facebook'")
        for option in ["--code-stdin", "--token-stdin"] {
            let refused = try world.link(to: "google", with: "secret", "--json", option: option)
            #expect(try refused.refusal(10, "unsupported").string("hint") == "use an ID token")
        }

        #expect(try world.run("link", "dummy", "--unlink").stdout.contains("dummy identities 7, 8"))
        let login = try world.logIn(at: "company", with: try idToken("u1", [:]), "--json").document()
        #expect(try login.object("user").string("id") == created)
        #expect(world.files(holding: String(first.prefix(20))) == [])
    }

    @Test(arguments: ["facebook", "facebook-jwt"])
    func `dj-rest-auth accepts Google's tokens at the paths of the profile`(mode: String) throws {
        let server = try SharedSites.server(mode)
        let (world, graph) = (try Sandbox(visiting: server), try #require(server.graph))
        let idTokenFile = { (user: String) in
            let path = "\(world.root)/id-token"
            try world.write(try graph.idToken(sub: user, ["iss": "https://accounts.google.com"]), to: path)
            return path
        }
        let access = "--token-stdin"
        try world.join("ada")
        let missing = try world.link(to: "google", with: "tok-ann", "--json", option: access)
        #expect(
            try missing.refusal(10, "unsupported").string("hint")?
                .hasSuffix(" socialConnectPath.google PATH") == true)
        let paths = [
            "socialLoginPath.google": "auth/google/", "socialConnectPath.google": "auth/google/link/",
            "socialAccountsPath": "auth/accounts/",
        ]
        for (key, path) in paths { #expect(try world.run("profile", "set", "site", key, path).exitCode == 0) }

        let link = try world.link(to: "google", with: "tok-ann", option: access)
        #expect(link.stdout.contains("1001"))
        // An access token alone does not tell its app.
        #expect(link.warnings.count == 1)
        let both = try world.link(
            to: "google", with: "tok-bob", "--id-token-file", try idTokenFile("1002"), option: access)
        #expect(both.stdout.contains("1002"))
        #expect(both.stderr.isEmpty)
        let fresh = ["--id-token-file", try idTokenFile("1002")]
        let login = try world.logIn(at: "google", with: "tok-bob", fresh[0], fresh[1], option: access)
        #expect(login.stdout.contains("ada"))
        // The site fails with a server error.
        let used = try world.logIn(at: "google", with: "tok-bob", fresh[0], fresh[1], "--json", option: access)
        #expect(try used.refusal(9, "server-fault").string("hint")?.hasSuffix("get a new token") == true)

        for (option, provider) in [("--id-token-stdin", "google"), (access, "apple")] {
            let token = try graph.idToken()
            let (refused, asked) = try server.requests {
                try world.logIn(at: provider, with: token, "--json", option: option)
            }
            try refused.refusal(10, "unsupported")
            #expect(asked == [])
        }
        try world.logIn(at: "google", with: "code", "--json", option: "--code-stdin").refusal(10, "unsupported")

        let theirs = try Sandbox(visiting: server)
        for (key, path) in paths { try theirs.run("profile", "set", "site", key, path) }
        #expect(try theirs.logIn(at: "google", with: "tok-cat", option: access).exitCode == 0)
        try world.link(to: "google", with: "tok-cat", "--json", option: access).refusal(6, "identity-taken")
        // The user logged in with Google, and the site does not tell whether there is a password.
        try world.run("link", "google", "--unlink", "--json").refusal(5, "forbidden")
        let unlink = try world.run("link", "google", "--unlink", "--force")
        #expect(unlink.stdout.contains("Google identities 1001, 1002"), "\(unlink.stderr)")
        #expect(try world.run("link", "--status", "--json").document().objects("items").isEmpty)
        #expect(server.requests.contains { $0.contains("/auth/accounts/") && $0.hasPrefix("POST") })
        #expect(world.files(holding: "tok-") == [])
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
