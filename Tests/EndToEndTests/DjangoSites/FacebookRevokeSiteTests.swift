import TestSupport
import Testing

/// `--revoke` revokes permissions at Facebook. The last authentication method is not unlinked.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites, .mostlyWaits)
struct FacebookRevokeSiteTests {
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
}
