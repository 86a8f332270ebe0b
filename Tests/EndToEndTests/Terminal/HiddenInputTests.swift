import Foundation
import TestSupport

/// Secrets that options read from standard input while it is a terminal.
@Suite(.mostlyWaits, .keepsInvariants) struct HiddenInputTests {
    private let world = Sandbox()
    private let terminal = PseudoTerminal()

    @Test(arguments: [["--password-stdin"], ["--password-file", "-"]])
    func `Enter ends a password that an option reads from a terminal without echo`(words: [String]) throws {
        try world.signUp("ada")
        let login = try world.start(["login", "ada"] + words, environment: ["CI": nil], terminal: terminal)
        #expect(terminal.waitFor("Enter the password: "))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        expect(login.wait().exitCode, 0)
        #expect(terminal.isEchoing)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `a token of 8 KiB that is pasted into a terminal is sent completely`() throws {
        let server = try ScriptedServer([
            "*": [.json(#"{"code":209,"error":"Invalid session token"}"#, "400 Bad Request")]
        ])
        let token = String(repeating: "t", count: 8192)
        let login = try world.start(
            ["login", "--token-stdin"] + ParseSession.options(at: server.url("/parse")), terminal: terminal)
        #expect(terminal.waitFor("Enter the session token: "))
        terminal.type("\(token.prefix(4000))")
        terminal.type("\(token.dropFirst(4000))\n")
        expect(login.wait().exitCode, 4)
        #expect(server.requests.contains { $0.head.contains(token) })
    }

    /// A terminal that is not the controlling one, and one that is opened for reading only, so that the prompt is
    /// written to standard error.
    @Test(arguments: [["/usr/bin/setsid", "--wait"], .shell("exec </dev/tty")])
    func `standard input hides a secret, whatever terminal it is`(wrapper: [String]) throws {
        try world.signUp("ada")
        let login = try world.start(["login", "ada", "--password-stdin"], under: wrapper, terminal: terminal)
        #expect(terminal.waitFor("Enter the password: "))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        expect(login.wait().exitCode, 0)
    }

    @Test func `authData may have several lines, which Ctrl-D ends`() throws {
        let login = try world.start(["login", "--provider", "x", "--auth-data-file", "-"], terminal: terminal)
        #expect(terminal.waitFor("Paste the authData, then press Enter and Ctrl-D: "))
        #expect(!terminal.isEchoing)
        terminal.type("{\"id\":\n\"canary\"}\n\u{4}")
        // The local accounts know no provider 'x'.
        expect(login.wait().exitCode, 10)
        #expect(!terminal.shown.contains("canary"))
    }
}
