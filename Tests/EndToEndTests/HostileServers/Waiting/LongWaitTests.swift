import Foundation
import TestSupport

/// A wait for the network shows a notice at a terminal, and Ctrl-C ends the wait.
@Suite(.mostlyWaits, .keepsInvariants) struct LongWaitTests {
    private let world = Sandbox()
    private let terminal = PseudoTerminal()

    init() throws {
        world.set("AUTHCTL_PASSWORD", to: Sandbox.password)
    }

    /// - Parameters:
    ///   - isWaiting: whether the command has reached the wait.
    private func expectEndByCtrlC(
        _ words: [String], at url: String, environment: [String: String] = [:], under: [String] = [],
        when isWaiting: () -> Bool = { true }
    ) throws {
        var environment = environment.mapValues(Optional.some)
        environment.merge([
            "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": url, "AUTHCTL_APP_ID": "shop", "AUTHCTL_ALLOW_HTTP": "1",
        ]) { $1 }
        let program = try world.start(words, environment: environment, under: under, terminal: terminal)
        #expect(terminal.waitFor(" …"))
        let end = Date(timeIntervalSinceNow: 20)
        while !isWaiting(), Date() < end { usleep(5000) }
        let start = Date()
        terminal.type("\u{3}")
        let result = program.wait(atMost: .seconds(20))
        // 5 seconds is less than any time limit, such as the 10 seconds for connecting.
        #expect(Date().timeIntervalSince(start) < 5)
        // If authctl runs under a wrapper command, the exit code is 128 plus the signal, as in a shell.
        #expect(under.isEmpty ? result.signal == SIGINT : result.exitCode == 128 + SIGINT)
        #expect(terminal.waitFor("^C"))
        #expect(terminal.shown.hasSuffix(" …^C"), "\(terminal.shown)")
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test(.enabled(if: Host.hasOwnNetwork, "needs root, unshare -n -m, ip and Python 3.10"))
    func `Ctrl-C ends a pending DNS lookup`() throws {
        let network = ["/usr/bin/unshare", "-n", "-m", Servers.path("names.py")]
        try expectEndByCtrlC(["login", "ada"], at: "http://account.test:8080/parse", under: network)
    }

    @Test func `Ctrl-C ends a pending connection`() throws {
        let server = try ScriptedServer([:])
        let deaf = try UnresponsiveListener(port: server.ports[0])
        defer { deaf.stop() }
        try expectEndByCtrlC(["login", "ada"], at: server.url("/parse", host: "[::1]"))
    }

    @Test func `Ctrl-C ends a pending proxy connection`() throws {
        let proxy = try ScriptedServer(["CONNECT": [[.stall]]])
        try expectEndByCtrlC(
            ["login", "ada"], at: "https://account.test/parse", environment: ["HTTPS_PROXY": proxy.url("")]
        ) {
            !proxy.requests.isEmpty
        }
        expect(proxy.requests.count, 1)
    }

    @Test func `Ctrl-C ends the wait for a retry`() throws {
        let server = try ScriptedServer(["*": [.answer("503 No", ["Retry-After: 20"])]])
        try expectEndByCtrlC(["whoami"], at: server.url("/parse"), environment: ["AUTHCTL_TOKEN": "r:1"]) {
            !server.requests.isEmpty
        }
        expect(server.requests.count, 1)
    }
}
