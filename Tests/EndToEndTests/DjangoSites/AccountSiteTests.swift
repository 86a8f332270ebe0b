import TestSupport
import Testing

/// An account on each kind of Django site, and the site's own API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites, .keepsInvariants)
struct AccountSiteTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let family: DjangoServer.Family
        let mode: String

        var testDescription: String { "\(family.rawValue), \(mode)" }
    }

    private static let kinds = [
        Kind(family: .restAuth, mode: "none"), Kind(family: .djRestAuth, mode: "none"),
        Kind(family: .djRestAuth, mode: "jwt"), Kind(family: .allauth, mode: "none"),
        Kind(family: .allauth, mode: "jwt"),
    ]

    @Test(arguments: kinds)
    func `an account on a Django site works from signup to logout`(kind: Kind) throws {
        let server = try SharedSites.server(kind.mode, kind.family)
        let backend = kind.family == .allauth ? "allauth" : "rest-auth"
        try AccountStory(world: try Sandbox(visiting: server), backend: backend, server: server.url).run()
    }

    @Test(arguments: kinds)
    func `api and curl use the session for requests to a Django site's own API`(kind: Kind) throws {
        let server = try SharedSites.server(kind.mode, kind.family)
        let world = try Sandbox(visiting: server)
        try world.join("api")
        let (list, asked) = try server.requests { try world.run("api", "/api/items/", "--paginate") }
        #expect(list.stdout == (1...25).map { "{\"id\":\($0),\"owner\":\"api\"}\n" }.joined(), "\(list.stderr)")
        #expect(asked == ["GET /api/items/ 200", "GET /api/items/ 200", "GET /api/items/ 200"])
        #expect(try world.run("api", "/api/echo/", "-f", "a=é", "-F", "b=1.50").stdout == #"{"a":"é","b":1.50}"#)
        let slash = try world.run("api", "/api/echo", "-f", "a=b", "--json")
        #expect(slash.exitCode == 8, "Django redirects to the path with a slash, and a POST is not repeated")
        let url = "\(server.url.dropLast(kind.family.path.count))/api/items/?page=3"
        for script in [
            #""$A" token --header | curl -sS --fail -H @- "\#(url)""#,
            #""$A" exec -- sh -c 'echo "$AUTHCTL_AUTH_HEADER" | curl -sS --fail -H @- "\#(url)"'"#,
        ] {
            let finished = try world.runScript(script)
            #expect(finished.stdout.contains(#""owner":"api""#), "\(finished.everything)")
        }
        guard kind.mode == "jwt" else { return }
        try world.letSessionRunOut("site")
        let (page, askedLate) = try server.requests { try world.run("api", "/api/items/?page=3") }
        #expect(page.exitCode == 0, "\(page.everything)")
        #expect(askedLate.count == 2)
        #expect(askedLate.first?.contains("/refresh") == true && askedLate.last == "GET /api/items/ 200")
    }
}
