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

    @Test(
        arguments: FacebookPlace.allauths,
        [
            ["exp": "-5"], ["signature": "wrong"], ["signature": "none"], ["iss": "https://facebook.example.net"],
            ["kid": "another"],
        ])
    func `an invalid ID token is rejected`(place: FacebookPlace, claims: [String: String]) throws {
        let visitor = try FacebookVisitor(place)
        try visitor.world.start(
            ["login", "--facebook", "--id-token-stdin", "--json"],
            input: "\(try visitor.graph.idToken(sub: "1003", claims))\n"
        ).wait().refusal(4, "token-refused")
        #expect(!visitor.world.isThere(visitor.world.siteFile))
    }

    @Test(arguments: FacebookPlace.allauths)
    func `an ID token of another app or user is rejected before any request to the site`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place)
        try visitor.world.join("eli")
        let other = try visitor.graph.idToken(aud: "2000")
        let own = try visitor.graph.idToken()
        let count = visitor.server.requests.count
        let otherApp = try link(visitor, other, "--json").refusal(4, "token-refused").string("message")
        #expect(otherApp?.contains(/'2000'.*'1000'/) == true)
        let otherID = try link(visitor, own, "--facebook-id", "1002", "--json").refusal(4, "token-refused")
        #expect(otherID.string("message")?.contains(/'1001'.*'1002'/) == true)
        let access = try link(visitor, "tok-ann", "--json").refusal(2, "usage")
        #expect(access.string("hint")?.contains("--token-stdin") == true)
        #expect(visitor.server.requests.count == count)
        #expect(try visitor.world.status() == LinkState(false, false, nil))
    }

    @Test(arguments: FacebookPlace.restAuths)
    func `a site without support for ID tokens gets no request`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place)
        try visitor.world.join("ivo")
        let token = try visitor.graph.idToken()
        let (_, asked) = try visitor.requests {
            for command in [["link-facebook"], ["login", "--facebook"]] {
                let error = try visitor.world.start(command + ["--id-token-stdin", "--json"], input: "\(token)\n")
                    .wait().refusal(10, "unsupported")
                #expect(error.string("message")?.contains("Limited Login") == true)
            }
        }
        #expect(asked == [])
        #expect(visitor.keepsNothing)
    }
}
