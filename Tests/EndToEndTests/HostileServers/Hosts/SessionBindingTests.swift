import TestSupport
import Testing

/// A stored session is bound to backend, scheme, host, port, mount path and application.
///
/// Listener 0 is the server of the session, 1 another one with the same host name, both with TLS; 2 uses http.
@Suite(.keepsSecrets) struct SessionBindingTests {
    private let world: Sandbox
    private let server: ScriptedServer

    init() throws {
        world = try Sandbox()
        let certificate = TestAuthority.path("good")
        let own = ["*": [Operation.whoami.goodAnswer]]
        server = try ScriptedServer([
            .init(own, certificate: certificate), .init(own, certificate: certificate), .init(own),
        ])
        try world.keepSession(for: server.url("/parse", scheme: "https", host: "localhost"))
        world.set("AUTHCTL_CA_CERT", to: TestAuthority.file)
    }

    /// In the URL, `PORT`, `OTHER` and `PLAIN` stand for the ports of listeners 0, 1 and 2.
    private func run(
        _ command: String, _ given: String, _ appID: String = OperationRun.appID, backend: String = "parse"
    ) throws -> Finished {
        let names = zip(["PORT", "OTHER", "PLAIN"], server.ports)
        let url = names.reduce(given) { $0.replacing($1.0, with: "\($1.1)") }
        let id = ["rest-auth", "allauth"].contains(backend) ? [] : ["--app-id", appID]
        return try world.start([command, "--json", "--backend", backend, "--server", url] + id).wait()
    }

    @Test(arguments: [
        "https://localhost:PORT/parse", "https://LOCALHOST:PORT/parse", "HTTPS://localhost:PORT/parse",
        "https://localhost:PORT/parse/",
    ])
    func `a server URL in another case or with a final slash has the same session`(given: String) throws {
        let whoami = try run("whoami", given)
        #expect(whoami.exitCode == 0)
        #expect(try whoami.document().string("state") == "valid")
        #expect(server.requests.map(\.target) == ["/parse/users/me", "/parse/sessions/me"])
        #expect(server.requests.first?.head.contains("X-Parse-Session-Token: \(OperationRun.token)\r\n") == true)
        #expect(try run("token", given).document().string("token") == OperationRun.token)
    }

    @Test(arguments: [
        ("https://account.test/parse", ["https://account.test:443/parse", "https://account.test:/parse/"]),
        ("http://localhost/parse", ["http://localhost:80/parse", "http://LOCALHOST/parse/"]),
    ])
    func `a server URL with the default port has the same session`(bound: String, given: [String]) throws {
        try world.keepSession(for: bound)
        for url in given { #expect(try run("token", url).document().string("token") == OperationRun.token) }
    }

    @Test(arguments: [
        ("https://localhost:OTHER/parse", "shop"), ("http://localhost:PLAIN/parse", "shop"),
        ("http://localhost:PORT/parse", "shop"), ("https://localhost.:PORT/parse", "shop"),
        ("https://127.0.0.1:PORT/parse", "shop"), ("https://sub.localhost:PORT/parse", "shop"),
        ("https://localhost.account.test:PORT/parse", "shop"), ("https://xn--lcalhost-c4a:PORT/parse", "shop"),
        ("https://localhost:PORT/parse2", "shop"), ("https://localhost:PORT/Parse", "shop"),
        ("https://localhost:PORT/parse/1", "shop"), ("https://localhost:PORT", "shop"),
        ("https://localhost:PORT//parse", "shop"), ("https://localhost:PORT/%70arse", "shop"),
        ("https://localhost:PORT/parse", "Shop"), ("https://localhost:PORT/parse", "shop2"),
        ("https://localhost/parse", "shop"),
    ])
    func `a different scheme, host, port, path or application has no session`(given: String, appID: String) throws {
        let before = world.snapshot()
        for command in ["whoami", "sessions", "token"] {
            let result = try run(command, given, appID)
            #expect(result.exitCode == 3)
            #expect(!result.everything.contains("canary"))
            let document = command == "token" ? try result.error() : try result.document().object("error")
            #expect(document.string("reason") == "no-session")
        }
        #expect(server.connections() + server.connections(to: 1) + server.connections(to: 2) == 0)
        #expect(world.snapshot() == before)
    }

    @Test(arguments: [
        "https://localhost:PORT@account.test/parse", "https://ada@localhost:PORT/parse",
        "https://localhost:PORT/parse?a",
        "https://localhost:PORT/parse/../parse", "https://localhost:PORT/parse#a", "https://localhost:PORT\\parse",
        "https://l\u{43E}calhost:PORT/parse",
    ])
    func `an ambiguous server URL is rejected`(given: String) throws {
        #expect(try run("whoami", given).exitCode == 2)
        #expect(server.connections() == 0)
    }

    @Test func `no command sends the session to another server`() throws {
        let exec = try world.run(
            "exec", "--backend", "parse", "--server", server.url("/parse", host: "localhost", listener: 2), "--app-id",
            OperationRun.appID, "--", "/usr/bin/env")
        #expect(exec.exitCode == 3)
        #expect(exec.stdout.isEmpty)
        #expect(!exec.everything.contains("canary"))
    }

    @Test func `another backend has no session`() throws {
        let whoami = try world.run("whoami", "--json", "--backend", "local")
        #expect(whoami.exitCode == 3)
        #expect(try run("whoami", "https://localhost:PORT/parse", backend: "local").exitCode == 2)
        #expect(server.connections() == 0)
    }

    @Test func `a logout with another server URL sends nothing and keeps the session`() throws {
        let before = world.snapshot()
        let logout = try run("logout", "https://localhost:OTHER/parse")
        #expect(logout.exitCode == 0)
        #expect(try logout.document().flag("changed") == false)
        #expect(server.connections() + server.connections(to: 1) == 0)
        #expect(world.snapshot() == before)
    }
}
