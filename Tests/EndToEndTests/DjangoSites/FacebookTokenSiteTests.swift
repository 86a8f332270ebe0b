import TestSupport
import Testing

/// Facebook tokens from standard input. authctl checks them at Facebook before it sends them to the site.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct FacebookTokenSiteTests {
    @Test(arguments: FacebookPlace.allCases)
    func `a token of another app or person, or that Facebook rejects, never reaches the site`(
        place: FacebookPlace
    ) throws {
        let visitor = try FacebookVisitor(place)
        let world = visitor.world
        try world.join("ada")
        let refusals = [
            ("tok-expired", "\"Error validating access token: Session has expired"),
            ("tok-code-190-458", "\"Words for people about error 190, 458.\""),
            ("tok-control", "\"Words\u{1B}[2J"),
            ("tok-otherapp", "'2000'"),
        ]
        let (_, asked) = try visitor.requests {
            for (token, words) in refusals {
                for result in [
                    try world.link(facebook: token, "--json"), try world.logIn(facebook: token, "--json"),
                ] {
                    let message = try result.refusal(4, "token-refused").string("message")
                    #expect(message?.contains(words) == true, "\(message ?? "")")
                    #expect(!result.everything.contains(token))
                }
            }
            let message = try world.link(facebook: "tok-ann", "--facebook-id", "1002", "--json")
                .refusal(4, "token-refused").string("message")
            #expect(message?.contains(/'1001'.*'1002'/) == true)
        }
        #expect(asked == [])
        #expect(try world.status() == LinkState(false, false, nil))
        #expect(!(try world.link(facebook: "tok-control").everything.contains("\u{1B}")))
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: FacebookPlace.allCases)
    func `a token that Facebook shows to servers only is accepted with --facebook-id`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place)
        try visitor.world.join("gus")
        let link = try visitor.world.link(facebook: "tok-proof", "--facebook-id", "1008")
        #expect(link.stdout.contains("1008"), "\(link.stderr)")
        #expect(link.warnings.count == 1)
        #expect(link.warnings.first?.contains("'1000'") == true)
    }

    @Test(arguments: FacebookPlace.allCases)
    func `requests to Facebook have no secret in their URL and are sent once`(
        place: FacebookPlace
    ) throws {
        let visitor = try FacebookVisitor(place, graph: try GraphServer())
        try visitor.world.join("kim")
        let (link, asked) = try visitor.questions { try visitor.world.link(facebook: "tok-jon", "--fill-user", "-v") }
        #expect(link.exitCode == 0, "\(link.stderr)")
        #expect(asked == ["GET /\(GraphServer.version)/me", "GET /\(GraphServer.version)/app"])
        #expect(visitor.graph.requests.allSatisfy { !$0.hasSecretInURL })
        #expect(!link.everything.contains("tok-jon"))
    }
}
