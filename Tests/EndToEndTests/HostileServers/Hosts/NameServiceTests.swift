import Foundation
import TestSupport

@Suite(
    .mostlyWaits, .keepsInvariants, .enabled(if: Host.hasOwnNetwork, "needs root, unshare -n -m, ip and Python 3.10"))
struct NameServiceTests {
    @Test(arguments: [([], " within 1 s"), (["--refused"], "")], [["whoami"], ["login", "ada", "--password-stdin"]])
    func `the time limit covers the DNS lookup, and the error names the host`(
        server: (options: [String], limit: String), words: [String]
    ) throws {
        let start = Date()
        let result = try Sandbox().start(
            words + ["--json", "--allow-http", "--timeout", "1"], input: .password,
            environment: ParseSession.environment(at: "http://account.test:8080/parse"),
            under: ["/usr/bin/unshare", "-n", "-m", Servers.path("names.py")] + server.options
        ).wait()
        // The bound is the time limit, plus the time to set up the network.
        #expect(Date().timeIntervalSince(start) < 6)
        expect(result.exitCode, 8, "\(result.everything)")
        let error = try words[0] == "whoami" ? result.document().object("error") : result.error()
        expect(error.string("reason"), "dns")
        expect(error.string("message")?.contains("'account.test'\(server.limit)"), true)
        #expect(error.string("hint") != nil)
    }
}

/// Requests of authctl through a proxy that an environment variable sets. `ProxyTests` tests the responses of proxies.
@Suite(.mostlyWaits, .keepsSecrets) struct ProxyRunTests {
    @Test func `a proxy receives only the host of an HTTPS request, and NO_PROXY bypasses the proxy`() throws {
        let proxy = try ScriptedServer([
            .init(["CONNECT": [[.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(1)]]]),
            .init(["*": [ParseSession.user]], certificate: TestAuthority.path("good")),
        ])
        let world = Sandbox()
        var environment = ParseSession.environment(at: "https://account.test/parse")
        environment["https_proxy"] = "http://ada:canary@127.0.0.1:\(proxy.ports[0])"
        environment["HTTPS_PROXY"] = "http://127.0.0.1:1"
        environment["AUTHCTL_CA_CERT"] = TestAuthority.file
        let whoami = try world.run("whoami", "-v", environment: environment)
        expect(whoami.exitCode, 0, "\(whoami.stderr)")
        #expect(!whoami.everything.contains("canary"))
        let asked = proxy.requests.filter { $0.listener == 0 }
        #expect(!asked.isEmpty)
        for one in asked {
            #expect(one.method == "CONNECT" && one.target == "account.test:443" && one.body.isEmpty)
            let names = one.fields.map { String($0.prefix { $0 != ":" }) }
            expect(names.sorted(), ["Host", "Proxy-Authorization", "Proxy-Connection", "User-Agent"])
        }
        environment["NO_PROXY"] = "account.test"
        let direct = try world.run("whoami", "--json", environment: environment)
        try expect(direct.document().object("error").string("reason"), "dns")
        expect(proxy.requests.count { $0.listener == 0 }, asked.count)
    }
}
