import TestSupport

/// Facebook identities on every kind of Django site; see `graph_people.py` for the test users.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct FacebookSiteTests {
    enum Place: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case restAuth = "rest-auth, keys"
        case djRestAuth = "dj-rest-auth, keys"
        case djRestAuthTokens = "dj-rest-auth, JWTs"
        case allauth = "allauth, session tokens"
        case allauthTokens = "allauth, JWTs"

        var testDescription: String { rawValue }

        func server() throws -> DjangoServer {
            switch self {
            case .restAuth: try SharedSites.server("facebook", .restAuth)
            case .djRestAuth: try SharedSites.server("facebook")
            case .djRestAuthTokens: try SharedSites.server("facebook-jwt")
            case .allauth: try SharedSites.server("none", .allauth)
            case .allauthTokens: try SharedSites.server("jwt", .allauth)
            }
        }
    }

    /// A sandbox with the settings of the Facebook app.
    private func visit(_ server: DjangoServer) throws -> Sandbox {
        let world = try Sandbox(visiting: server)
        world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: try #require(server.graph).url)
        world.set("AUTHCTL_FACEBOOK_APP_ID", to: GraphServer.appID)
        world.set("AUTHCTL_FACEBOOK_CLIENT_TOKEN", to: "client-at-once")
        return world
    }

    @Test(arguments: Place.allCases)
    func `a user logs in to a Django site with Facebook and links, shows and unlinks an identity`(place: Place) throws {
        let server = try place.server()
        let (world, theirs) = (try visit(server), try visit(server))
        try expect(theirs.logIn(facebook: "tok-cat").exitCode, 0)
        let cat = try theirs.run("whoami", "--json").document().object("user")
        let again = try theirs.logIn(facebook: "tok-cat", "--json").document().object("user")
        expect(again.string("id"), cat.string("id"))

        try world.join("ada")
        try expect(world.status(), LinkState(false, false, nil))
        let device = try world.run("link-facebook")
        #expect(device.stdout.contains("1002"), "\(device.stderr)")
        #expect(device.stderr.contains("https://www.facebook.com/device?user_code=ABCD-EF"))
        try expect(world.linkState(try world.link(facebook: "tok-bob", "--json")), LinkState(true, false, "1002"))
        try expect(world.status(), LinkState(true, false, "1002"))
        if ![.allauth, .allauthTokens].contains(place) {
            let fill = try world.link(facebook: "tok-bob", "--fill-user")
            #expect(fill.stdout.contains("first_name") && fill.stdout.contains("last_name"), "\(fill.stderr)")
        }

        // An attempt to link another user's identity saves and shows nothing about that user.
        let before = try world.bytes(world.siteFile)
        let taken = try world.link(facebook: "tok-cat", "--json")
        try taken.refusal(6, "identity-taken")
        try expect(world.bytes(world.siteFile), before)
        #expect(!taken.everything.contains("cat.face@example.com"))
        try expect(theirs.run("whoami").exitCode, 0)
        // authctl has revoked the tokens that the link response issued, so only those of the user's two logins remain.
        if place == .djRestAuthTokens {
            try expect(server.liveRefreshTokens(of: try #require(cat.string("username"))), 2)
        }

        #expect(try world.run("link-facebook", "--unlink").stdout.contains("1002"))
        try expect(world.linkState(try world.run("link-facebook", "--unlink", "--json")), LinkState(false, false, nil))
        try theirs.run("link-facebook", "--unlink", "--json").refusal(5, "forbidden")
        let forced = try theirs.run("link-facebook", "--unlink", "--force")
        switch place {
        case .djRestAuth, .djRestAuthTokens: expect(forced.exitCode, 0, "\(forced.stderr)")
        // django-rest-auth responds with a server error if the last authentication method is unlinked; allauth
        // rejects the request.
        case .restAuth: expect(forced.exitCode, 9)
        case .allauth, .allauthTokens: expect(forced.exitCode, 5)
        }
        for secret in ["tok-", "secret-device-code", "client-"] { expect(world.files(holding: secret), []) }
    }

    @Test(arguments: [Place.allauth, .allauthTokens])
    func `allauth accepts a Facebook Limited Login ID token once, and authctl does not save it`(place: Place) throws {
        let server = try place.server()
        let (world, graph) = (try visit(server), try #require(server.graph))
        try world.join("ida")
        let first = try graph.idToken(sub: "1010")
        let count = graph.requests.count
        let linked = try world.run("link-facebook", "--id-token-stdin", input: "\(first)\n")
        #expect(linked.stdout.contains("1010"), "\(linked.stderr)")
        // An ID token cannot be used for requests to the Graph API, so authctl sends no such request.
        #expect(graph.requests.dropFirst(count).allSatisfy { !$0.isOfAuthctl })
        try world.run("link-facebook", "--id-token-stdin", "--json", input: "\(first)\n").refusal(4, "token-refused")
        let second: Input = "\(try graph.idToken(sub: "1010"))\n"
        let login = try world.run("login", "--facebook", "--id-token-stdin", input: second)
        #expect(login.stdout.contains("ida"), "\(login.stderr)")
        expect(world.files(holding: "eyJhbGciOiAiUlMyNTYi"), [])
    }
}

/// Facebook commands; see `graph_people.py` for the test users.
extension Sandbox {
    func logIn(facebook token: String, _ more: String...) throws -> Finished {
        try start(["login", "--facebook", "--token-stdin"] + more, input: "\(token)\n").wait()
    }

    func link(facebook token: String, _ more: String...) throws -> Finished {
        try start(["link-facebook", "--token-stdin"] + more, input: "\(token)\n").wait()
    }

    /// The members `linked`, `changed` and `facebookId` of the JSON document that `link-facebook` prints.
    func linkState(_ finished: Finished) throws -> LinkState {
        let document = try finished.document()
        return LinkState(document.flag("linked"), document.flag("changed"), document.string("facebookId"))
    }

    func status() throws -> LinkState { try linkState(try run("link-facebook", "--status", "--json")) }
}

struct LinkState: Equatable {
    let isLinked: Bool?
    let hasChanged: Bool?
    let id: String?

    init(_ isLinked: Bool?, _ hasChanged: Bool?, _ id: String?) {
        self.isLinked = isLinked
        self.hasChanged = hasChanged
        self.id = id
    }
}
