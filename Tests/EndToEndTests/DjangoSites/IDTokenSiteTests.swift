import TestSupport
import Testing

/// ID tokens of Facebook's Limited Login. Sites with allauth can check them; the others do not support them.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct IDTokenSiteTests {
    private func link(_ visitor: FacebookVisitor, _ token: String, _ more: String...) throws -> Finished {
        try visitor.world.start(["link-facebook", "--id-token-stdin"] + more, input: "\(token)\n").wait()
    }

    @Test(arguments: FacebookPlace.allauths)
    func `an ID token links or logs in once and is not saved`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place)
        let (world, graph) = (visitor.world, visitor.graph)
        try world.join("ida")
        let first = try graph.idToken(sub: "1010")
        let (linked, asked) = try visitor.questions { try link(visitor, first) }
        #expect(linked.stdout.contains("1010"), "\(linked.stderr)")
        // An ID token cannot be used for requests to the Graph API.
        #expect(asked == [])
        try link(visitor, first, "--json").refusal(4, "token-refused")
        #expect(try world.status() == LinkState(true, false, "1010"))

        try world.write(try graph.idToken(sub: "1010"), to: "\(world.root)/id-token")
        let login = try world.run("login", "--facebook", "--id-token-file", "\(world.root)/id-token")
        #expect(login.stdout.contains("ida"), "\(login.stderr)")
        #expect(!login.everything.contains("eyJ"))
        #expect(visitor.keepsNothing)
        try world.start(["link-facebook", "--unlink", "--revoke", "--id-token-stdin", "--json"], input: "\(first)\n")
            .wait().refusal(2, "usage")
        #expect(try world.linkState(try world.run("link-facebook", "--unlink", "--json")).isLinked == false)
    }
}
