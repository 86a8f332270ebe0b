import TestSupport
import Testing

/// Server URLs with plain http to other hosts, and ambiguous ones, are rejected before any request.
@Suite(.keepsSecrets) struct PlainHTTPTests {
    private static let exposed = [
        "http://192.0.2.1/parse", "http://account.invalid/parse", "HTTP://ACCOUNT.INVALID", "http://[2001:db8::1]:8080",
        "http://localhost.account.invalid/parse", "http://127.0.0.1.account.invalid/parse", "http://localhost./parse",
        "http://127.1/parse", "http://0.0.0.0/parse", "http://2130706433/parse", "http://0x7f000001/parse",
    ]
    private static let unclear = [
        "account.invalid/parse", "localhost:1337/parse", "127.0.0.1/parse", "//account.invalid/parse",
        "ftp://account.invalid/parse", "file:///parse", "ws://localhost/parse", "https:/account.invalid", "https://",
        "http://ada:canary@localhost/parse", "https://localhost\\@account.invalid/",
    ]

    @Test(arguments: exposed + unclear)
    func `plain http and ambiguous URLs are rejected before a name lookup`(server: String) throws {
        let world = try Sandbox()
        let trace = "\(world.root)/trace"
        let under: [String] = Host.canTrace ? .strace("socket,connect", into: trace) : []
        let words = ["login", "ada", "--password-stdin", "--backend", "parse", "--server", server, "--app-id", "shop"]
        let result = try world.start(words + ["--json"], input: .password, under: under).wait()
        #expect(result.exitCode == 2)
        #expect(result.stdout.isEmpty)
        #expect(try result.error().string("reason") == (Self.exposed.contains(server) ? "plain-http" : "usage"))
        #expect(!result.everything.contains("canary"))
        if Host.canTrace { #expect(try world.text(trace).isEmpty) }
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test func `plain http is rejected from AUTHCTL_SERVER and from a profile`() throws {
        let world = try Sandbox()
        let added = try world.run(
            "profile", "add", "live", "--backend", "parse", "--server", Self.exposed[1], "--app-id", "shop", "--json")
        #expect(added.exitCode == 2)
        #expect(try added.error().string("reason") == "plain-http")
        let environment = ["AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": Self.exposed[1], "AUTHCTL_APP_ID": "shop"]
        let result = try world.run("whoami", "--json", environment: environment)
        #expect(result.exitCode == 2)
        #expect(try result.error().string("reason") == "plain-http")
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.1.2.3", "LocalHost"])
    func `plain http to loopback is allowed`(host: String) throws {
        let server = try ScriptedServer([.init(["/parse/users/me": [Operation.whoami.goodAnswer]]).on(host)])
        let run = try OperationRun(.whoami, at: server.url("/parse", host: host.lowercased()))
        #expect(try run.success().string("state") == "valid")
        #expect(server.requests.count { $0.target == "/parse/users/me" } == 1)
    }

    @Test func `plain http to ::1 is allowed`() throws {
        let server = try ScriptedServer([.init(["/parse/users/me": [Operation.whoami.goodAnswer]]).on("::1")])
        let run = try OperationRun(.whoami, at: server.url("/parse", host: "[::1]"))
        #expect(try run.success().string("state") == "valid")
    }

    @Test func `--allow-http warns at each use`() throws {
        let world = try Sandbox()
        let words = ["--backend", "parse", "--server", Self.exposed[1], "--app-id", "shop", "--allow-http"]
        for _ in 1...2 {
            let result = try world.start(["login", "ada", "--password-stdin"] + words, input: .password).wait()
            #expect(result.exitCode == 8)
            #expect(result.warnings.count == 1)
            #expect(result.warnings.count == 1)
        }
    }
}

extension ScriptedServer.Listener {
    fileprivate func on(_ address: String) -> ScriptedServer.Listener {
        var listener = self
        if address.lowercased() != "localhost" { listener.address = address }
        return listener
    }
}
