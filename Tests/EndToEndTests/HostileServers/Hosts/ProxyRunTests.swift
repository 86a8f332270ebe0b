import TestSupport
import Testing

/// Requests through a proxy from the environment. Listener 0 is the proxy, listener 1 the server behind it.
@Suite(.keepsSecrets, .mostlyWaits) struct ProxyRunTests {
    private static let url = "https://account.test/parse"
    private static let tunnel: ScriptedServer.Answer = [.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(1)]

    /// The server has a base URL for each operation.
    private func servers(
        _ answer: ScriptedServer.Answer = tunnel, of kind: ServerKind = .parse
    ) throws -> ScriptedServer {
        var routes = ["/parse\(Operation.whoami.path)": [Operation.whoami.goodAnswer]]
        for operation in kind.operations { routes.merge(operation.routes(at: kind, below: "/\(operation)")) { $1 } }
        return try ScriptedServer([
            .init(["CONNECT": [answer], "*": [.answer("500 No")]]),
            .init(routes, certificate: TestAuthority.path("good")),
        ])
    }

    private func start(
        _ operation: Operation, _ servers: ScriptedServer, _ words: [String] = [], at url: String = url,
        user: String = "ada:canary@", variable: String = "HTTPS_PROXY", environment: [String: String] = [:],
        kind: ServerKind = .parse
    ) throws -> OperationRun {
        let proxy = [variable: "http://\(user)127.0.0.1:\(servers.ports[0])"]
        return try OperationRun(
            operation, at: url, ["--ca-cert", TestAuthority.file] + words,
            environment: environment.merging(proxy) { $1 }, name: variable, kind: kind)
    }

    @Test(arguments: ServerKind.allCases)
    func `a proxy gets a CONNECT and sees nothing of the request`(kind: ServerKind) throws {
        let servers = try servers(of: kind)
        try run(kind.operations) { _, operation in
            try start(operation, servers, at: "https://account.test/\(operation)", kind: kind)
        } then: { _, _, run in
            try run.success()
        }
        let asked = servers.requests.to(0)
        // Some logins also request the user of the new session.
        #expect(asked.count >= kind.operations.count)
        for one in asked {
            #expect(one.method == "CONNECT")
            #expect(one.target == "account.test:443")
            let names = one.fields.map { String($0.prefix { $0 != ":" }) }
            #expect(names.sorted() == ["Host", "Proxy-Authorization", "Proxy-Connection", "User-Agent"])
            #expect(one.body.isEmpty)
        }
        let sent = servers.requests.to(1)
        #expect(Set(sent.map(\.target)).isSuperset(of: kind.operations.map { "/\($0)\($0.path(at: kind))" }))
        #expect(!sent.contains { $0.has("Proxy-Authorization") })
    }

    @Test func `--proxy overrides https_proxy, which overrides HTTPS_PROXY`() throws {
        let servers = try servers()
        try start(
            .whoami, servers, user: "", variable: "https_proxy", environment: ["HTTPS_PROXY": "http://127.0.0.1:1"]
        )
        .success()
        let proxy = "http://127.0.0.1:\(servers.ports[0])"
        let environment = ["HTTPS_PROXY": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1"]
        try OperationRun(
            .whoami, at: Self.url, ["--ca-cert", TestAuthority.file, "--proxy", proxy], environment: environment
        )
        .success()
        #expect(servers.requests.to(0).count == 2)
    }

    @Test func `a password in --proxy is rejected and not repeated`() throws {
        let servers = try servers()
        let words = ["--proxy", "http://ada:canary@127.0.0.1:\(servers.ports[0])"]
        try OperationRun(.login, at: Self.url, words).failure(2, "usage")
        #expect(servers.connections() == 0)
    }

    @Test func `the trace names the proxy without its password`() throws {
        let servers = try servers(.answer("407 No"))
        let words = ["--backend", "parse", "--server", Self.url, "--app-id", "shop", "-v"]
        let proxy = "http://ada:canary@127.0.0.1:\(servers.ports[0])"
        let world = try Sandbox()
        let result = try world.start(
            ["login", "ada", "--password-stdin"] + words, input: .password, environment: ["HTTPS_PROXY": proxy]
        ).wait()
        #expect(result.exitCode == 8)
        #expect(result.stderr.contains("authctl: > POST \(Self.url)/login\n"))
        #expect(result.stderr.contains("'http://***@127.0.0.1:\(servers.ports[0])'"))
        #expect(!result.everything.contains("canary"))
    }

    @Test(arguments: ["NO_PROXY", "no_proxy"])
    func `a host in NO_PROXY is reached without a proxy`(variable: String) throws {
        let servers = try servers(.answer("502 No"))
        let url = "https://account.invalid/parse"
        for (list, reason) in [("account.invalid", "dns"), (".invalid", "dns"), ("*", "dns"), ("other.test", "proxy")] {
            try start(.login, servers, at: url, environment: [variable: list]).failure(8, reason)
        }
        #expect(servers.requests.count == 3)
    }

    @Test(arguments: ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "AUTHCTL_PROXY"])
    func `variables other than https_proxy and all_proxy name no proxy`(variable: String) throws {
        let servers = try servers()
        try start(.login, servers, at: "https://account.invalid/parse", variable: variable).failure(8, "dns")
        #expect(servers.connections(to: 0) == 0)
    }
}
