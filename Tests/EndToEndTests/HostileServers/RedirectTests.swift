import TestSupport
import Testing

/// Servers that send on: only a GET follows, only below the same base URL, at most five times.
///
/// Listener 0 is the server and speaks http, 1 is another one, 2 is the server in TLS.
@Suite(.keepsSecrets) struct RedirectTests {
    struct Kind {
        let name: String
        /// Where to; `BASE` stands for the path of the base URL.
        let location: String
        /// How often a GET is sent on before an answer comes.
        var hops = 1
        /// As it is shown; `nil`: there is no server to name.
        var origin: String? = "http://127.0.0.1:{port:1}"
        /// Whether that is below the base URL.
        var isBelow = false
        var listener = 0

        var isFollowed: Bool { isBelow && hops <= 5 }
    }

    private static let kinds = [
        Kind(name: "same origin", location: "BASE/moved?canary", origin: "http://localhost:{port:0}", isBelow: true),
        Kind(
            name: "upper case", location: "HTTP://LOCALHOST:{port:0}BASE/moved?canary",
            origin: "http://localhost:{port:0}", isBelow: true),
        Kind(
            name: "five hops", location: "BASE/again?canary", hops: 5, origin: "http://localhost:{port:0}",
            isBelow: true),
        Kind(
            name: "fifty hops", location: "BASE/again?canary", hops: 50, origin: "http://localhost:{port:0}",
            isBelow: true),
        Kind(name: "loop", location: "BASE/again", hops: .max, origin: "http://localhost:{port:0}", isBelow: true),
        Kind(name: "other path", location: "/moved?canary", origin: "http://localhost:{port:0}"),
        Kind(
            name: "other port", location: "http://localhost:{port:1}BASE/moved?canary",
            origin: "http://localhost:{port:1}"),
        Kind(
            name: "other name of this machine", location: "http://127.0.0.1:{port:0}BASE/moved?canary",
            origin: "http://127.0.0.1:{port:0}"),
        Kind(
            name: "subdomain", location: "http://sub.localhost:{port:0}BASE/moved?canary",
            origin: "http://sub.localhost:{port:0}"),
        Kind(
            name: "dot at the end", location: "http://localhost.:{port:0}BASE/moved?canary",
            origin: "http://localhost.:{port:0}"),
        Kind(name: "user", location: "http://localhost:{port:0}@127.0.0.1:{port:1}BASE/moved?canary"),
        Kind(name: "no scheme", location: "//127.0.0.1:{port:1}BASE/moved?canary"),
        Kind(name: "file", location: "file:///etc/hostname?canary", origin: nil),
        Kind(name: "not encrypted", location: "http://127.0.0.1:{port:1}BASE/moved?canary", listener: 2),
        Kind(
            name: "not encrypted, same name", location: "http://localhost:{port:2}BASE/moved?canary",
            origin: "http://localhost:{port:2}", listener: 2),
    ]

    private struct Case {
        let server: ServerKind
        let base: String
        let status: Int
        let deed: Deed
        let kind: Kind
    }

    /// All statuses for what reads and for what writes; the rest of what writes goes the same way, and so do other kinds
    /// of servers.
    private static let cases = ServerKind.allCases.flatMap { server in
        statuses(server).flatMap { status in
            server.deeds.filter { [.whoami, .login].contains($0) || [302, 307].contains(status) }.flatMap { deed in
                kinds(for: server).map { kind in
                    let base = "/\(server)\(status)/\(deed)/\(kind.name.filter(\.isLetter))"
                    return Case(server: server, base: base, status: status, deed: deed, kind: kind)
                }
            }
        }
    }

    /// For servers that are asked in the same way as others, one way of each sort.
    private static func kinds(for server: ServerKind) -> [Kind] {
        let names = ["same origin", "loop", "other path", "other port", "user", "not encrypted"]
        return kinds.filter { [.parse, .restAuth].contains(server) || names.contains($0.name) }
    }

    private static func statuses(_ server: ServerKind) -> [Int] {
        switch server {
        case .parse: [301, 302, 303, 307, 308]
        case .restAuth: [302, 307]
        case .allauth, .kii: [307]
        }
    }

    private static func routes(_ cases: [Case]) -> [String: [ScriptedServer.Answer]] {
        var routes: [String: [ScriptedServer.Answer]] = [:]
        for one in cases {
            let good = one.deed.goodAnswer(of: one.server)
            let location = one.kind.location.replacing("BASE", with: one.base)
            let answer = ScriptedServer.Answer.answer(
                "\(one.status) Moved", ["Location: \(location)", "Set-Cookie: biscuit=1; Path=/"], "moved")
            routes[one.base + one.deed.path(at: one.server)] = [answer]
            let further = one.kind.hops == .max ? [answer] : Array(repeating: answer, count: one.kind.hops - 1)
            routes["\(one.base)/again"] = one.kind.hops == .max ? further : further + [good]
            routes["\(one.base)/moved"] = [good]
        }
        return routes
    }

    @Test func `a request reaches no other origin, and only one that reads is sent again`() throws {
        let own = Self.routes(Self.cases)
        let server = try ScriptedServer([
            .init(own), .init(["*": [.answer("200 OK")]]), .init(own, certificate: TestAuthority.path("good")),
        ])
        func named(_ text: String) -> String {
            server.ports.enumerated().reduce(text) { $0.replacing("{port:\($1.offset)}", with: "\($1.element)") }
        }
        try attempt(Self.cases) { _, one in
            let url = server.url(
                one.base, scheme: one.kind.listener == 2 ? "https" : "http", host: "localhost",
                listener: one.kind.listener)
            return try Attempt(one.deed, at: url, ["--ca-cert", TestAuthority.file], name: one.base, kind: one.server)
        } then: { _, one, attempt in
            guard one.deed == .whoami, one.kind.isFollowed else {
                let message = try attempt.failure(8, "redirect").string("message") ?? ""
                if let origin = one.kind.origin { #expect(message.contains("'\(named(origin))'"), "\(message)") }
                return
            }
            #expect(try attempt.success().string("state") == "valid")
        }
        #expect(server.connections(to: 1) == 0)
        let requests = Dictionary(grouping: server.requests) { request in
            request.target.split(separator: "/").prefix(3).map { "/\($0)" }.joined()
        }
        for one in Self.cases {
            let expected = one.deed == .whoami && one.kind.isBelow ? min(one.kind.hops, 5) + 1 : 1
            let seen = requests[one.base] ?? []
            #expect(seen.count == expected, "\(one.base)")
            #expect(seen.allSatisfy { $0.listener == one.kind.listener }, "\(one.base)")
            let isOwn = one.server.usesAuthorization(for: one.deed)
            for field in ["Cookie", "Referer"] + (isOwn ? [] : ["Authorization"]) {
                #expect(!seen.contains { $0.has(field) }, "\(one.base)")
            }
        }
    }
}
