import Foundation
import TestSupport
import Testing

@Suite(
    .keepsInvariants, .mostlyWaits, .enabled(if: Host.hasOwnNetwork, "needs root, unshare -n -m, ip and Python 3.10"))
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
        #expect(result.exitCode == 8, "\(result.everything)")
        let error = try words[0] == "whoami" ? result.document().object("error") : result.error()
        #expect(error.string("reason") == "dns")
        #expect(error.string("message")?.contains("'account.test'\(server.limit)") == true)
        #expect(error.string("hint") != nil)
    }
}
