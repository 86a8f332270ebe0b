import TestSupport
import Testing

/// Requests through a proxy from the environment. Listener 0 is the proxy, listener 1 the server behind it.
@Suite(.keepsSecrets, .mostlyWaits) struct ProxyRunTests {
    private static let url = "https://account.test/parse"
    private static let tunnel: ScriptedServer.Answer = [.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(1)]

    /// The server has a base URL for each operation.
    private func servers(
        _ answer: ScriptedServer.Answer = tunnel, certificate: String = "good", of kind: ServerKind = .parse
    ) throws -> ScriptedServer {
        var routes = ["/parse\(Operation.whoami.path)": [Operation.whoami.goodAnswer]]
        for operation in kind.operations { routes.merge(operation.routes(at: kind, below: "/\(operation)")) { $1 } }
        return try ScriptedServer([
            .init(["CONNECT": [answer], "*": [.answer("500 No")]]),
            .init(routes, certificate: TestAuthority.path(certificate)),
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

    @Test(arguments: ["HTTPS_PROXY", "https_proxy"], ServerKind.allCases)
    func `a proxy gets a CONNECT and sees nothing of the request`(variable: String, kind: ServerKind) throws {
        let servers = try servers(of: kind)
        try run(kind.operations) { _, operation in
            try start(operation, servers, at: "https://account.test/\(operation)", variable: variable, kind: kind)
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

    @Test(
        arguments: [
            ("407", .answer("407 Authentication Required", ["Proxy-Authenticate: Basic realm=\"canary\""])),
            ("407 by Negotiate", .answer("407 No", ["Proxy-Authenticate: Negotiate", "Proxy-Authenticate: NTLM"])),
            ("403", .answer("403 Forbidden")),
            ("502", .answer("502 Bad Gateway", ["Content-Type: text/html"], "<html>canary</html>")),
            ("redirect", .answer("302 Found", ["Location: http://127.0.0.1:{port:1}/"])),
            ("407 by Digest", .answer("407 No", ["Proxy-Authenticate: Digest realm=\"a\", nonce=\"canary\""])),
            ("101", [.send("HTTP/1.1 101 Switching Protocols\r\n\r\n")]), ("999", .answer("999 No")),
            (
                "407 and no end",
                [.send("HTTP/1.1 407 No\r\nContent-Length: 10000000000\r\n\r\n"), .repeating("canary")]
            ),
            ("garbage", [.send("canary\r\n\r\n"), .close]), ("close", [.close]), ("reset", [.reset]),
        ] as [(String, ScriptedServer.Answer)])
    func `a failing proxy is named without its password and tried again unless it rejects`(
        name: String, answer: ScriptedServer.Answer
    ) throws {
        let operations = [Operation.whoami, .signup]
        let servers = try ScriptedServer(operations.map { _ in .init(["CONNECT": [answer]]) })
        try run(operations) { number, operation in
            try OperationRun(
                operation, at: Self.url,
                environment: ["HTTPS_PROXY": "http://ada:canary@127.0.0.1:\(servers.ports[number])"],
                name: name)
        } then: { number, operation, run in
            let message = try run.failure(8, "proxy").string("message") ?? ""
            #expect(message.contains("'http://***@127.0.0.1:\(servers.ports[number])'"), "\(message)")
            let asked = servers.requests.to(number)
            // A rejection is not retried, because it may count towards a lockout.
            #expect(asked.count == (name.hasPrefix("4") ? 1 : 3), "\(operation)")
            #expect(asked.allSatisfy { $0.method == "CONNECT" && !$0.head.contains("X-Parse") })
        }
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

    @Test func `a stalled proxy is named when the time limit is over`() throws {
        let servers = try servers([.stall])
        try run([Operation.whoami, .signup]) { _, operation in
            try start(operation, servers, ["--timeout", "0.5"])
        } then: { _, _, run in
            let message = try run.failure(8, "timeout", within: .seconds(9)).string("message") ?? ""
            #expect(message.contains("'http://***@127.0.0.1:\(servers.ports[0])'"), "\(message)")
        }
        #expect(servers.connections(to: 1) == 0)
    }

    @Test func `an unreachable proxy is named`() throws {
        let environment = ["HTTPS_PROXY": "http://ada:canary@127.0.0.1:1"]
        let message = try OperationRun(.signup, at: Self.url, environment: environment).failure(8, "proxy").string(
            "message")
        #expect(message?.contains("'http://***@127.0.0.1:1'") == true)
    }

    /// Without the proxy authctl would look up the host name.
    @Test(arguments: [
        "http://ada%00:canary@127.0.0.1:1", "http://ada:canary%0a@127.0.0.1:1", "canary canary", "http://",
    ])
    func `an invalid proxy URL is an error`(proxy: String) throws {
        let url = "https://account.invalid/parse"
        try OperationRun(.login, at: url, environment: ["HTTPS_PROXY": proxy]).failure(2, "usage")
    }

    @Test func `the server behind a proxy must have a valid certificate`() throws {
        let servers = try servers(certificate: "wrong-host")
        for operation in Operation.common { try start(operation, servers).failure(8, "tls") }
        #expect(servers.requests.allSatisfy { $0.method == "CONNECT" })
        #expect(servers.requests.count == Operation.common.count)
    }

    @Test(arguments: ["localhost", "127.0.0.1"], ServerKind.allCases)
    func `loopback is reached without a proxy`(host: String, kind: ServerKind) throws {
        let servers = try servers(of: kind)
        try run(kind.operations) { _, operation in
            let own = servers.url("/\(operation)", scheme: "https", host: host, listener: 1)
            return try start(operation, servers, at: own, environment: ["ALL_PROXY": "http://127.0.0.1:1"], kind: kind)
        } then: { _, _, run in
            try run.success()
        }
        #expect(servers.connections(to: 0) == 0)
        #expect(servers.requests.count >= kind.operations.count)
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
