import Foundation
import TestSupport
import Testing

/// Facebook identities of local accounts, and of the same accounts served by `serve` to the backend `parse`.
@Suite(.mostlyWaits) struct FacebookAccountTests {
    enum Place: String, CaseIterable, Sendable {
        case local, parse
    }

    /// A user whose current profile selects the accounts.
    private struct Visitor {
        let graph: GraphServer
        let world: Sandbox
        /// Keeps the server process running; `nil` for local accounts.
        let server: ServingProgram?

        init(_ place: Place) throws {
            graph = try GraphServer()
            world = try Sandbox()
            world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url)
            guard place == .parse else {
                server = nil
                try setUp()
                return
            }
            let serving = try Sandbox()
            serving.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url)
            let server = try ServingProgram("--facebook-app-id", GraphServer.appID, world: serving)
            self.server = server
            try world.run(
                "profile", "add", "site", "--backend", "parse", "--server", server.url, "--app-id", ServingProgram.appID
            )
            try world.run("profile", "use", "site")
            try setUp()
        }

        private var profile: String { server == nil ? "default" : "site" }

        private func setUp() throws {
            let set = try world.run("profile", "set", profile, "facebookAppId", GraphServer.appID)
            try #require(set.exitCode == 0, "\(set.stderr)")
            world.set("AUTHCTL_FACEBOOK_CLIENT_TOKEN", to: "client-at-once")
        }

        /// The state of an account without an identity. A Parse Server does not report that.
        var unlinked: LinkState { LinkState(server == nil ? false : nil, false, nil) }

        var user: JSONDocument { get throws { try world.run("whoami", "--json").document().object("user") } }

        var keepsNothing: Bool {
            let folders = [world.home] + (server.map { [$0.world.home] } ?? [])
            return folders.flatMap { world.snapshot($0).values }.allSatisfy { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                return ["tok-", "secret-device-code", "client-"].allSatisfy { !text.contains($0) }
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `a device login creates an account, finds it again, and cannot be unlinked from it`(place: Place) throws {
        let visitor = try Visitor(place)
        let (world, graph) = (visitor.world, visitor.graph)
        let first = try world.run("login", "--facebook", "--fill-user", "--json")
        #expect(first.exitCode == 0, "\(first.stderr)")
        #expect(try first.document().flag("created") == true)
        #expect(try first.document().strings("filled") == ["email", "name"])
        #expect(try visitor.user.string("email") == "bob.face@example.com")
        #expect(try world.run("logout").exitCode == 0)
        // The account exists now, and no field is empty.
        let again = try world.logIn(facebook: "tok-bob", "--fill-user", "--json").document()
        #expect(again.flag("created") == false)
        #expect(again.strings("filled") == [])

        let refused = try world.run("link-facebook", "--unlink", "--json").refusal(5, "forbidden")
        #expect(refused.string("hint")?.contains("authctl password reset ") == true)
        #expect(try world.status() == LinkState(true, false, "1002"))
        let forced = try world.run("link-facebook", "--unlink", "--force", "--revoke", "--json").document()
        #expect(forced.flag("permissionsRevoked") == true)
        #expect(try world.status() == visitor.unlinked)
        #expect(graph.requests(for: "me/permissions").map(\.line) == ["DELETE /\(GraphServer.version)/me/permissions"])
        #expect(graph.requests.allSatisfy { !$0.hasSecretInURL })
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: Place.allCases)
    func `an identity can be linked, replaced and unlinked, and a repeated command succeeds`(place: Place) throws {
        let visitor = try Visitor(place)
        let world = visitor.world
        try world.signUp("ada")
        #expect(try world.linkState(try world.link(facebook: "tok-ann", "--json")) == LinkState(true, true, "1001"))
        #expect(try world.linkState(try world.link(facebook: "tok-ann", "--json")) == LinkState(true, false, "1001"))
        let replaced = try world.run("link-facebook")
        #expect(replaced.stdout.contains("1002"), "\(replaced.stderr)")
        #expect(replaced.stderr.contains("'1001'"))
        #expect(
            try world.linkState(try world.run("link-facebook", "--unlink", "--json")) == LinkState(false, true, nil))
        let again = try world.linkState(try world.run("link-facebook", "--unlink", "--json"))
        #expect(again == LinkState(false, place == .local ? false : nil, nil))
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: Place.allCases)
    func `a link fills empty fields, keeps others, and warns about a taken address`(
        place: Place
    ) throws {
        let visitor = try Visitor(place)
        let world = visitor.world
        try world.signUp("owner", "--email", "local@example.com")
        try world.signUp("eve")
        let link = try world.link(facebook: "tok-taken", "--fill-user")
        #expect(link.exitCode == 0)
        #expect(link.stdout.contains("name"))
        #expect(link.warnings.count == 1 && link.warnings[0].contains("'email'"))
        #expect(try visitor.user.isNull("email"))
        let full = try world.link(facebook: "tok-ann", "--fill-user", "--json").document()
        #expect(full.strings("filled") == ["email"])
        #expect(try visitor.user.string("email") == "ann.face@example.com")
        #expect(try visitor.user.object("fields").string("name") == "Eve Face")
    }

    @Test(arguments: Place.allCases)
    func `a link of another user's identity fails with a hint to log in with it`(place: Place) throws {
        let visitor = try Visitor(place)
        let world = visitor.world
        try world.signUp("ada")
        try #require(try world.link(facebook: "tok-cat").exitCode == 0)
        try world.signUp("bea")
        let taken = try world.link(facebook: "tok-cat", "--json").refusal(6, "identity-taken")
        #expect(taken.string("hint")?.contains("authctl login --provider facebook --token-file FILE") == true)
        #expect(try world.status() == visitor.unlinked)
        #expect(try world.logIn(facebook: "tok-cat").stdout.contains("ada"))
    }

    @Test(arguments: Place.allCases)
    func `a token of another app or person, or that Facebook rejects, is rejected`(place: Place) throws {
        let visitor = try Visitor(place)
        let world = visitor.world
        try world.signUp("ada")
        let words = [
            ("tok-otherapp", [], "'2000'"),
            ("tok-ann", ["--identity-id", "1002"], ""),
            ("tok-expired", [], "\"Error validating access token: Session has expired"),
        ]
        for (token, more, fact) in words {
            for command in [["link-facebook"], ["login", "--facebook"]] {
                let result = try world.start(command + ["--token-stdin", "--json"] + more, input: "\(token)\n").wait()
                let told = try result.refusal(4, "token-refused").string("message")
                #expect(fact.isEmpty || told?.contains(fact) == true, "\(told ?? "")")
            }
        }
        let proof = try world.link(facebook: "tok-proof", "--json").refusal(5, "forbidden")
        #expect(proof.string("hint")?.contains("--identity-id ID") == true)
        #expect(try world.status() == visitor.unlinked)
        #expect(visitor.keepsNothing)
    }

    @Test func `local accounts without a Facebook app name the missing setting`() throws {
        let visitor = try Visitor(.local)
        let world = visitor.world
        try world.run("profile", "add", "bare", "--backend", "local")
        for words in [["login", "--facebook"], ["login", "--facebook", "--token-stdin"]] {
            let error = try world.start(words + ["--json", "-p", "bare"], input: "tok-ann\n").wait()
                .refusal(10, "unsupported")
            #expect(error.string("hint")?.contains("authctl profile set bare facebookAppId ID") == true)
        }
        try world.signUp("ada")
        let token = try visitor.graph.idToken()
        try world.start(["link-facebook", "--id-token-stdin", "--json"], input: "\(token)\n").wait()
            .refusal(10, "unsupported")
        #expect(visitor.graph.requests.isEmpty)
    }
}
