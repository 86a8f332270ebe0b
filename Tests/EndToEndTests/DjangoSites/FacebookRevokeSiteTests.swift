import TestSupport
import Testing

/// `--revoke` revokes permissions at Facebook. The last authentication method is not unlinked.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites, .mostlyWaits)
struct FacebookRevokeSiteTests {
    private func withdraw(_ visitor: FacebookVisitor, _ token: String, _ more: String...) throws -> Finished {
        try visitor.world.start(["link-facebook", "--unlink", "--revoke", "--token-stdin"] + more, input: "\(token)\n")
            .wait()
    }

    /// Number of requests to Facebook that revoke permissions.
    private func withdrawals(_ visitor: FacebookVisitor) -> Int {
        visitor.graph.requests(for: "me/permissions").count
    }

    @Test(arguments: FacebookPlace.allCases)
    func `an unlink with --revoke revokes the app's permissions and the token`(place: FacebookPlace) throws {
        // For the user cat, Facebook's response to this request is the bare word `true`.
        let person = place == .allauth ? (name: "cat", id: "1003") : (name: "ann", id: "1001")
        let visitor = try FacebookVisitor(place, graph: try GraphServer())
        let world = visitor.world
        try world.join("ada")
        let token = "tok-\(person.name)"
        try #require(try world.link(facebook: token).exitCode == 0)
        let unlink = try withdraw(visitor, token)
        #expect(unlink.stdout.contains(person.id), "\(unlink.stderr)")
        #expect(
            visitor.graph.requests(for: "me/permissions").map(\.line) == [
                "DELETE /\(GraphServer.version)/me/permissions"
            ])
        #expect(visitor.graph.requests.allSatisfy { !$0.hasSecretInURL })
        #expect(try world.status() == LinkState(false, false, nil))
        let dead = try world.link(facebook: token, "--json").refusal(4, "token-refused")
        #expect(dead.string("hint") != nil)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: [FacebookPlace.djRestAuthTokens, .allauth])
    func `an unlink with --revoke accepts a device code`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, "at-once", graph: try GraphServer())
        let world = visitor.world
        try world.join("bo")
        try #require(try world.link(facebook: "tok-bob").exitCode == 0)
        let unlink = try world.run("link-facebook", "--unlink", "--revoke", "--json").document()
        #expect(unlink.flag("linked") == false)
        #expect(unlink.flag("changed") == true)
        #expect(unlink.flag("permissionsRevoked") == true)
        #expect(withdrawals(visitor) == 1)
    }

    @Test(arguments: FacebookPlace.allCases)
    func `an unlink with another user's token revokes nothing and keeps the link`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, graph: try GraphServer())
        try visitor.world.join("dee")
        try #require(try visitor.world.link(facebook: "tok-dan").exitCode == 0)
        let other = try withdraw(visitor, "tok-jon", "--json").refusal(4, "token-refused")
        #expect(other.string("message")?.contains(/'1011'.*'1007'/) == true)
        try withdraw(visitor, "tok-expired", "--json").refusal(4, "token-refused")
        #expect(try visitor.world.status() == LinkState(true, false, "1007"))
        #expect(
            try visitor.world.linkState(try visitor.world.run("link-facebook", "--unlink", "--json")).isLinked == false)
        #expect(withdrawals(visitor) == 0)
    }

    @Test(arguments: FacebookPlace.allCases)
    func `the last authentication method is unlinked only with --force`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, graph: try GraphServer())
        let world = visitor.world
        try #require(try world.logIn(facebook: "tok-ida").exitCode == 0)
        let (refused, asked) = try visitor.requests { try world.run("link-facebook", "--unlink", "--json") }
        let hint = try refused.refusal(5, "forbidden").string("hint")
        #expect(hint?.contains("authctl password reset ida.face@example.com") == true)
        #expect(asked.allSatisfy { $0.hasPrefix("GET ") })
        #expect(try world.status() == LinkState(true, false, "1010"))
        let forced = try world.run("link-facebook", "--unlink", "--force")
        switch place {
        case .djRestAuth, .djRestAuthTokens: #expect(forced.exitCode == 0, "\(forced.stderr)")
        // The released django-rest-auth fails with a server error. allauth rejects the request.
        case .restAuth: #expect(forced.exitCode == 9)
        case .allauth, .allauthTokens: #expect(forced.exitCode == 5)
        }
    }

    @Test func `a logout of all profiles leaves Facebook alone and says so once`() throws {
        let visitor = try FacebookVisitor(.allauth, graph: try GraphServer())
        let world = visitor.world
        try world.run("profile", "add", "other", "--from", "site")
        for profile in ["site", "other"] {
            try #require(try world.logIn(facebook: "tok-number", "-p", profile).exitCode != 0)
            try #require(try world.logIn(facebook: "tok-oddname", "-p", profile).exitCode == 0)
        }
        let (logout, asked) = try visitor.questions { try world.run("logout", "--all-profiles") }
        #expect(logout.stdout.components(separatedBy: "Facebook").count == 2)
        #expect(asked == [])
    }
}
