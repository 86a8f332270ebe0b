import TestSupport
import Testing

/// Redirects. Only a GET is redirected, only below the same base URL, and at most five times.
///
/// Listener 0 is the server with http, 1 is another server, 2 is the server with TLS.
@Suite(.keepsSecrets) struct RedirectTests {
    struct Way {
        let name: String
        /// The target; `BASE` stands for the path of the base URL.
        let location: String
        /// The number of redirects before another response.
        var hops = 1
        /// The target's origin in messages; `nil` if it has none.
        var origin: String? = "http://127.0.0.1:{port:1}"
        /// Whether the target is below the base URL.
        var isBelow = false
        var listener = 0
        var host = "localhost"

        var isFollowed: Bool { isBelow && hops <= 5 }
        /// Whether the target is a path of the same origin.
        var isOwnPath: Bool { location.hasPrefix("/") && !location.hasPrefix("//") || location.hasPrefix("BASE") }
    }

    private static let ways = [
        Way(name: "same origin", location: "BASE/moved?canary", origin: "http://localhost:{port:0}", isBelow: true),
        Way(
            name: "upper case", location: "HTTP://LOCALHOST:{port:0}BASE/moved?canary",
            origin: "http://localhost:{port:0}", isBelow: true),
        Way(
            name: "five hops", location: "BASE/again?canary", hops: 5, origin: "http://localhost:{port:0}",
            isBelow: true),
        Way(
            name: "fifty hops", location: "BASE/again?canary", hops: 50, origin: "http://localhost:{port:0}",
            isBelow: true),
        Way(name: "loop", location: "BASE/again", hops: .max, origin: "http://localhost:{port:0}", isBelow: true),
        Way(name: "other path", location: "/moved?canary", origin: "http://localhost:{port:0}"),
        Way(name: "path that begins alike", location: "BASEs/moved?canary", origin: "http://localhost:{port:0}"),
        Way(name: "path above", location: "BASE/../moved?canary", origin: "http://localhost:{port:0}"),
        Way(
            name: "other port", location: "http://localhost:{port:1}BASE/moved?canary",
            origin: "http://localhost:{port:1}"),
        Way(name: "other host", location: "http://127.0.0.1:{port:1}BASE/moved?canary"),
        Way(
            name: "name of this machine", location: "http://localhost:{port:0}BASE/moved?canary",
            origin: "http://localhost:{port:0}", host: "127.0.0.1"),
        Way(
            name: "number of this machine", location: "http://127.0.0.1:{port:0}BASE/moved?canary",
            origin: "http://127.0.0.1:{port:0}"),
        Way(
            name: "subdomain", location: "http://sub.localhost:{port:0}BASE/moved?canary",
            origin: "http://sub.localhost:{port:0}"),
        Way(
            name: "dot at the end", location: "http://localhost.:{port:0}BASE/moved?canary",
            origin: "http://localhost.:{port:0}"),
        Way(name: "user", location: "http://localhost:{port:0}@127.0.0.1:{port:1}BASE/moved?canary"),
        Way(name: "no scheme", location: "//127.0.0.1:{port:1}BASE/moved?canary"),
        Way(name: "file", location: "file:///etc/hostname?canary", origin: nil),
        Way(name: "not encrypted", location: "http://127.0.0.1:{port:1}BASE/moved?canary", listener: 2),
        Way(
            name: "not encrypted, same name", location: "http://localhost:{port:2}BASE/moved?canary",
            origin: "http://localhost:{port:2}", listener: 2),
    ]

    private struct Case {
        let server: ServerKind
        let status: Int
        let operation: Operation
        let way: Way

        var base: String { "/\(server)\(status)/\(operation)/\(way.name.filter(\.isLetter))" }
        private var isRead: Bool { operation == .whoami || operation == .api }
        /// On a Django site, `api` may reach any path of the origin.
        private var reachesOrigin: Bool { operation == .api && [.restAuth, .allauth].contains(server) }
        /// Whether the redirect leads to a path outside of the base URL that this operation may reach.
        var leavesBase: Bool { reachesOrigin && way.isOwnPath && !way.isBelow }
        var isFollowed: Bool { isRead && way.isFollowed || leavesBase }
        /// The number of requests below the base URL.
        var count: Int { isRead && way.isBelow ? min(way.hops, 5) + 1 : 1 }
        /// The target outside of the base URL, without its query.
        var outside: String {
            let path = String(way.location.replacing("BASE", with: base).prefix { $0 != "?" })
            guard path.contains("/../") else { return path }
            return "/\(path.split(separator: "/").dropLast(3).joined(separator: "/"))/moved"
        }
    }

    private static let statuses = [301, 302, 303, 307, 308]

    /// One redirect of each sort.
    private static let main = ["same origin", "other path", "other port", "user"]

    /// The main redirects with every status, and the others with one status each, which differs between the cases.
    /// `api` sends its request as `whoami` does, so it has one status each.
    private static let cases = ServerKind.allCases.enumerated().flatMap { first, server in
        (server.operations + [.api]).enumerated().flatMap { second, operation in
            ways.enumerated().flatMap { third, way in
                let one = [statuses[(first + second + third) % statuses.count]]
                return (main.contains(way.name) && operation != .api ? statuses : one).map {
                    Case(server: server, status: $0, operation: operation, way: way)
                }
            }
        }
    }

    private static let outsideAnswer = ScriptedServer.Answer.answer("200 OK", [], "outside")

    private static func routes(_ cases: [Case]) -> [String: [ScriptedServer.Answer]] {
        var routes: [String: [ScriptedServer.Answer]] = [:]
        for one in cases {
            let good = one.operation.goodAnswer(of: one.server)
            let location = one.way.location.replacing("BASE", with: one.base)
            let answer = ScriptedServer.Answer.answer(
                "\(one.status) Moved", ["Location: \(location)", "Set-Cookie: biscuit=1; Path=/"], "moved")
            routes[one.base + one.operation.path(at: one.server)] = [answer]
            let further = one.way.hops == .max ? [answer] : Array(repeating: answer, count: one.way.hops - 1)
            routes["\(one.base)/again"] = one.way.hops == .max ? further : further + [good]
            routes["\(one.base)/moved"] = [good]
            if one.leavesBase { routes[one.outside] = [Self.outsideAnswer] }
        }
        return routes
    }

    @Test func `a redirect is followed for GET only and never to another origin`() throws {
        let own = Self.routes(Self.cases)
        let server = try ScriptedServer([
            .init(own), .init(["*": [.answer("200 OK")]]), .init(own, certificate: TestAuthority.path("good")),
        ])
        func named(_ text: String) -> String {
            server.ports.enumerated().reduce(text) { $0.replacing("{port:\($1.offset)}", with: "\($1.element)") }
        }
        try run(Self.cases) { _, one in
            let url = server.url(
                one.base, scheme: one.way.listener == 2 ? "https" : "http", host: one.way.host,
                listener: one.way.listener)
            return try OperationRun(
                one.operation, at: url, ["--ca-cert", TestAuthority.file], name: one.base, kind: one.server)
        } then: { _, one, run in
            guard one.isFollowed else {
                let message = try run.failure(8, "redirect").string("message") ?? ""
                if let origin = one.way.origin { #expect(message.contains("'\(named(origin))'"), "\(message)") }
                return
            }
            guard one.operation == .api else {
                #expect(try run.success().string("state") == "valid")
                return
            }
            let end = run.end()
            let body = one.leavesBase ? "outside" : Operation.api.goodBody(of: one.server)
            #expect(end.stdout == body, "\(one.base): \(end.everything)")
            #expect(end.stderr.isEmpty)
        }
        #expect(server.connections(to: 1) == 0)
        #expect(server.connections(to: 2) == server.handshakes(with: 2))
        // After a success, `whoami` also requests the expiry of a Parse session.
        let all = server.requests.filter { !$0.target.hasSuffix("/sessions/me") }
        let requests = Dictionary(grouping: all) { request in
            request.target.split(separator: "/").prefix(3).map { "/\($0)" }.joined()
        }
        var expectedOfAll = 0
        for one in Self.cases {
            let expected = one.count
            expectedOfAll += expected + (one.leavesBase ? 1 : 0)
            let seen = requests[one.base] ?? []
            #expect(seen.count == expected, "\(one.base)")
            #expect(seen.allSatisfy { $0.listener == one.way.listener }, "\(one.base)")
            let isOwn = one.server.usesAuthorization(for: one.operation)
            for field in ["Cookie", "Referer"] + (isOwn ? [] : ["Authorization"]) {
                #expect(!seen.contains { $0.has(field) }, "\(one.base)")
            }
        }
        #expect(all.count == expectedOfAll)
    }
}
