import TestSupport
import Testing

/// The API of an app on real Django sites.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites, .keepsInvariants)
struct ApiSiteTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let family: DjangoServer.Family
        let mode: String

        /// Also the name of an account.
        var testDescription: String { "\(family.rawValue)-\(mode)" }
    }

    private static let all = [
        Kind(family: .restAuth, mode: "none"), Kind(family: .djRestAuth, mode: "none"),
        Kind(family: .djRestAuth, mode: "jwt"), Kind(family: .allauth, mode: "none"),
        Kind(family: .allauth, mode: "jwt"),
    ]
    private static let withJWT = all.filter { $0.mode == "jwt" }
    private static let everyByte = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }

    /// A sandbox whose profile `site` selects the server, with a user who is logged in.
    private func world(_ kind: Kind, _ suffix: String) throws -> (world: Sandbox, server: DjangoServer, name: String) {
        let server = try SharedSites.server(kind.mode, kind.family)
        let name = "\(kind.testDescription)-\(suffix)"
        guard kind.family == .allauth else {
            let world = try Sandbox(visiting: server)
            try world.join(name)
            return (world, server, name)
        }
        let site = try AllauthSite(at: server)
        try site.join(name)
        return (site.world, server, name)
    }

    @Test(arguments: all)
    func `api reaches the views of the whole site with the session`(kind: Kind) throws {
        let (world, server, name) = try world(kind, "reads")
        let page = try world.run("api", "/api/items/?page=3")
        #expect(page.exitCode == 0, "\(page.everything)")
        #expect(page.stdout.contains(#""results":[{"id":21,"owner":"\#(name)"}"#))
        let own = try world.run(
            "api", kind.family == .allauth ? "\(kind.family.path)/auth/session" : "\(kind.family.path)/user/")
        #expect(own.stdout.contains(#""\#(name)""#), "\(own.everything)")
        let missing = try world.run("api", "/api/none/", "--json")
        #expect(missing.exitCode == 7)
        #expect(try missing.error().string("reason") == "not-found")
        let slash = try world.run("api", "/api/echo", "-f", "a=b", "--json")
        #expect(slash.exitCode == 8, "Django redirects to the path with a slash, and a POST is not repeated")
        #expect(try slash.error().string("hint")?.contains("slash") == true)
        #expect(!server.log.contains("Traceback"), "\(server.log)")
    }

    @Test(arguments: all)
    func `api --paginate prints every item of a Django list once`(kind: Kind) throws {
        let (world, server, name) = try world(kind, "pages")
        let count = server.requests.count
        let list = try world.run("api", "/api/items/", "--paginate")
        #expect(list.stdout == (1...25).map { "{\"id\":\($0),\"owner\":\"\(name)\"}\n" }.joined(), "\(list.stderr)")
        #expect(
            server.requests.dropFirst(count) == ["GET /api/items/ 200", "GET /api/items/ 200", "GET /api/items/ 200"])
    }

    @Test(arguments: all)
    func `api sends and prints every byte of a body unchanged`(kind: Kind) throws {
        let (world, _, _) = try world(kind, "bytes")
        try world.write(Self.everyByte, to: "\(world.root)/body")
        let type = "Content-Type: application/octet-stream"
        let echo = try world.run("api", "/api/echo/", "--input", "\(world.root)/body", "-H", type)
        #expect([UInt8](echo.output) == Self.everyByte)
        let piped = try world.run("api", "/api/echo/", "--input", "-", "-H", type, input: .bytes(Self.everyByte))
        #expect([UInt8](piped.output) == Self.everyByte)
        #expect(try world.run("api", "/api/echo/", "-f", "a=é", "-F", "b=1.50").stdout == #"{"a":"é","b":1.50}"#)
    }

    @Test(arguments: all)
    func `the header of token and exec authenticates a request of curl`(kind: Kind) throws {
        let (world, server, name) = try world(kind, "header")
        let url = "\(server.url.dropLast(kind.family.path.count))/api/items/?page=3"
        for script in [
            #""$A" token --header | curl -sS --fail -H @- "\#(url)""#,
            #""$A" exec -- sh -c 'echo "$AUTHCTL_AUTH_HEADER" | curl -sS --fail -H @- "\#(url)"'"#,
        ] {
            let finished = try world.runScript(script)
            #expect(finished.stdout.contains(#""owner":"\#(name)""#), "\(finished.everything)")
        }
    }

    @Test(arguments: withJWT)
    func `api refreshes an expired session before the request`(kind: Kind) throws {
        let (world, server, _) = try world(kind, "expired")
        try world.letSessionRunOut("site")
        let count = server.requests.count
        let page = try world.run("api", "/api/items/?page=3")
        #expect(page.exitCode == 0, "\(page.everything)")
        let asked = server.requests.dropFirst(count)
        #expect(asked.count == 2)
        #expect(asked.first?.contains("/refresh") == true && asked.last == "GET /api/items/ 200", "\(asked)")
    }

    @Test(arguments: withJWT)
    func `api refreshes a rejected session and sends the request once more`(kind: Kind) throws {
        let (world, server, _) = try world(kind, "rejected")
        let pair = try world.storedPair()
        try world.rewriteSession("site") { $0.replacing(pair.access, with: String(pair.access.dropLast(4)) + "AAAA") }
        let count = server.requests.count
        let echo = try world.run("api", "/api/echo/", "-f", "a=b")
        #expect(echo.stdout == #"{"a":"b"}"#, "\(echo.everything)")
        let asked = server.requests.dropFirst(count).map { $0.split(separator: " ").suffix(2).joined(separator: " ") }
        #expect(asked.first == "/api/echo/ 401" && asked.last == "/api/echo/ 200" && asked.count == 3, "\(asked)")
        #expect(try world.storedPair().access != pair.access)
        #expect(try world.run("api", "/api/items/").exitCode == 0)
    }

    /// With JWTs, allauth's authentication for REST framework fails with an error 500 then.
    @Test(arguments: all.filter { $0.family != .allauth || $0.mode != "jwt" })
    func `api reports an account that was deleted as a rejected session, and prints the response`(kind: Kind) throws {
        let (world, server, name) = try world(kind, "deleted")
        try server.change("delete", name)
        let gone = try world.run("api", "/api/items/", "--json")
        #expect(gone.exitCode == 4, "\(gone.everything)")
        #expect(gone.stdout.contains(#""detail""#))
        #expect(try gone.error().number("exit") == 4)
    }

    @Test(arguments: withJWT)
    func `token --min-ttl refreshes a session that expires too soon, and fails if the new one does, too`(
        kind: Kind
    ) throws {
        let (world, server, _) = try world(kind, "ttl")
        let before = try world.token("site")
        #expect(try world.run("token", "--min-ttl", "10").stdout == "\(before)\n")
        let count = server.requests.count
        let late = try world.run("token", "--min-ttl", "3600")
        #expect(late.exitCode == 4, "\(late.everything)")
        #expect(late.stdout.isEmpty)
        #expect(server.requests.dropFirst(count).count == 1)
        #expect(try world.token("site") != before)
    }
}
