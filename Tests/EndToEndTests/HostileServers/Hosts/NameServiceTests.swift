import Foundation
import TestSupport
import Testing

/// Host names that do not resolve or not in time, and hosts with IPv4, IPv6 or both addresses.
@Suite(
    .keepsInvariants, .mostlyWaits, .enabled(if: Host.hasOwnNetwork, "needs root, unshare -n -m, ip and Python 3.10"))
struct NameServiceTests {
    /// Runs a command in its own network namespace, with a time limit of 1 s.
    private func run(
        _ words: [String], at url: String, option: String? = nil
    ) throws -> (result: Finished, seconds: Double) {
        let world = try Sandbox()
        let network = ["/usr/bin/unshare", "-n", "-m", Servers.path("names.py")] + (option.map { [$0] } ?? [])
        let start = Date()
        let result = try world.start(
            words + ["--json", "--allow-http", "--timeout", "1"], input: .password,
            environment: [
                "AUTHCTL_TOKEN": ParseSession.token, "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": url,
                "AUTHCTL_APP_ID": "shop",
            ], under: network
        ).wait()
        return (result, Date().timeIntervalSince(start))
    }

    private func expectNoName(_ url: String, option: String? = nil, _ fault: String = "") throws {
        for words in [["whoami"], ["login", "ada", "--password-stdin"]] {
            let (result, seconds) = try run(words, at: url, option: option)
            #expect(result.exitCode == 8, "\(result.everything)")
            let error = try words[0] == "whoami" ? result.document().object("error") : result.error()
            #expect(error.string("reason") == "dns")
            let host = url.split(separator: "/")[1].split(separator: ":")[0]
            #expect(error.string("message")?.contains("'\(host)'\(fault)") == true)
            #expect(error.string("hint") != nil)
            // The time limit, plus the time to set up the network.
            #expect(seconds < 6)
        }
    }

    @Test(arguments: ["nx", "servfail"])
    func `an unknown host name is reported`(name: String) throws {
        try expectNoName("http://\(name).test:8080/parse")
    }

    @Test(arguments: ["silent", "garbage"])
    func `an unresponsive name server counts towards the time limit`(name: String) throws {
        try expectNoName("http://\(name).test:8080/parse", " within 1 s")
    }

    @Test(arguments: ["--no-resolver", "--dead-resolver"])
    func `a host name is unknown without a name server`(option: String) throws {
        try expectNoName("http://nx.test:8080/parse", option: option)
    }

    @Test(arguments: [
        "four.test:8080", "six.test:8081", "both.test:8080", "localhost:8081", "localhost:8080", "[::1]:8081",
    ])
    func `a host is reached at any of its addresses`(host: String) throws {
        let (result, _) = try run(["whoami"], at: "http://\(host)/parse")
        #expect(result.exitCode == 0, "\(result.everything)")
    }

    @Test(arguments: ["four.test:9", "six.test:9", "both.test:9", "[::1]:9"])
    func `a refused connection is reported with host and port`(host: String) throws {
        let (result, _) = try run(["whoami"], at: "http://\(host)/parse")
        #expect(result.exitCode == 8)
        let message = try result.document().object("error").string("message")
        #expect(message?.contains("'\(host)'") == true)
    }

    /// A zone is valid on one machine only, and a certificate cannot contain it.
    @Test(arguments: ["[fe80::1%25lo]", "[fe80::1%lo]", "[::1%251]"])
    func `an IPv6 address with a zone is rejected before any request`(host: String) throws {
        let world = try Sandbox()
        let result = try world.run("whoami", "--json", "--backend", "parse", "--server", "http://\(host):8081/parse")
        #expect(result.exitCode == 2)
        #expect(try result.error().string("reason") == "usage")
    }
}
