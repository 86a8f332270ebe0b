import TestSupport
import Testing

/// Settings of curl, and cookies and caches that a server requests. authctl neither sends nor stores them.
@Suite(.keepsSecrets) struct ForeignSettingsTests {
    private static let wishes = [
        "Set-Cookie: biscuit=1; Path=/; Max-Age=86400", "Set-Cookie: sid=2; Domain=localhost",
        "Cache-Control: public, max-age=86400", "ETag: \"a\"", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT",
        "Strict-Transport-Security: max-age=86400", "Alt-Svc: h2=\":1\"; ma=86400", "Content-Type: application/json",
    ]

    /// Writes the files of curl and similar programs, with entries for the server's host.
    private func write(to world: Sandbox) throws {
        let netrc = "machine localhost login ada password canary\ndefault login ada password canary\n"
        let curlrc = """
            header = "X-Evil: canary"
            user = "ada:canary"
            proxy = "http://127.0.0.1:1"
            insecure
            netrc
            cookie = "canary=1"
            cookie-jar = "\(world.home)/cookies"

            """
        for name in [".netrc", "_netrc"] { try world.write(netrc, to: "\(world.home)/\(name)") }
        for name in [".curlrc", "_curlrc", ".config/.curlrc", ".config/curlrc"] {
            try world.write(curlrc, to: "\(world.home)/\(name)")
        }
        try world.write("localhost\tFALSE\t/\tFALSE\t0\tcanary\t1\n", to: "\(world.home)/.curl-cookies")
    }

    @Test(arguments: ServerKind.allCases)
    func `requests ignore curl's settings, cookies and caches`(kind: ServerKind) throws {
        let server = try ScriptedServer(
            kind.operations.reduce(into: [:]) { routes, operation in
                let answer = ScriptedServer.Answer.answer(
                    operation.goodStatus(of: kind), Self.wishes, operation.goodBody(of: kind))
                routes.merge(operation.routes(at: kind, below: "/\(operation)", answer)) { $1 }
            })
        let world = try Sandbox()
        try write(to: world)
        let foreign = world.snapshot()
        let environment = [
            "NETRC": "\(world.home)/.netrc", "CURL_HOME": world.home, "CURLOPT_NETRC": "1",
            "XDG_CONFIG_HOME": "\(world.home)/.config",
        ]
        let operations = kind.operations.flatMap { [$0, $0] }
        for operation in operations {
            let url = server.url("/\(operation)", host: "localhost")
            try OperationRun(operation, at: url, environment: environment, world: world, kind: kind).success()
        }
        let requests = server.requests
        let fields = [
            "Cookie", "Cookie2", "X-Evil", "If-None-Match", "If-Modified-Since", "Referer", "Expect",
            "Proxy-Authorization",
        ]
        for request in requests {
            for field in fields { #expect(!request.has(field), "\(request.head)") }
        }
        for operation in kind.operations {
            let asked = requests.filter { $0.target == "/\(operation)\(operation.path(at: kind))" }
            #expect(asked.count == 2)
            #expect(asked.allSatisfy { $0.has("Authorization") == kind.usesAuthorization(for: operation) })
            #expect(!asked.contains { $0.head.contains("YWRhOmNhbmFyeQ==") })
        }
        // Each operation has a server URL of its own, and so a session of its own.
        #expect(world.snapshot().filter { !$0.key.hasPrefix(world.sessionFolder) } == foreign)
    }

    @Test func `a server that demands a password gets none from .netrc`() throws {
        let server = try ScriptedServer(["*": [.answer("401 No", ["WWW-Authenticate: Basic realm=\"a\""], "no")]])
        let world = try Sandbox()
        try write(to: world)
        let run = try OperationRun(.whoami, at: server.url("/parse", host: "localhost"), world: world)
        try run.failure(5, "forbidden")
        #expect(server.requests.count == 1)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `the files of curl are not opened`() throws {
        let server = try ScriptedServer(["*": [Operation.whoami.goodAnswer]])
        let world = try Sandbox()
        try write(to: world)
        try world.keepSession(for: server.url("/parse", host: "localhost"))
        let trace = "\(world.root)/trace"
        let words = ["--backend", "parse", "--server", server.url("/parse", host: "localhost"), "--app-id", "shop"]
        let result = try world.start(["whoami"] + words, under: .strace("%file", into: trace)).wait()
        #expect(result.exitCode == 0)
        let lines = try world.text(trace).split(separator: "\n")
        #expect(lines.contains { $0.contains("libcurl") })
        #expect(!lines.contains { $0.contains("netrc") || $0.contains("curlrc") || $0.contains("cookies") })
    }
}
