import Foundation
import TestSupport

/// Prompts in three cases: `poll` rejects terminals, as on macOS; the terminal is closed; the password is long.
@Suite(.mostlyWaits, .keepsInvariants) struct TerminalPollTests {
    private let world = Sandbox()
    private let terminal = PseudoTerminal()
    private let shim: String

    init() throws {
        shim = "\(world.root)/poll-shim.so"
        // The test's own PATH includes the Swift toolchain, which contains clang.
        let built = try world.start(
            ["clang", "-shared", "-fPIC", "-o", shim, Servers.path("poll-shim.c")],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"]], program: ["/usr/bin/env"]
        ).wait()
        try #require(built.exitCode == 0, "\(built.stderr)")
    }

    @Test func `prompts work even if poll reports terminals as invalid`() throws {
        let signup = try world.start(["signup"], environment: ["LD_PRELOAD": shim], terminal: terminal)
        #expect(terminal.waitFor(Prompt.username))
        terminal.type("ada\n")
        #expect(terminal.waitFor(Prompt.optionalEmail))
        terminal.type("\n")
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor(Prompt.confirmation))
        terminal.type("\(Sandbox.password)\n")
        expect(signup.wait(atMost: .seconds(20)).exitCode, 0)
    }

    @Test func `a password prompt ends when the terminal is closed, even if SIGHUP is ignored`() throws {
        let login = try world.start(["login", "ada"], under: .shell("trap '' HUP"), terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("abc")
        terminal.hangUp()
        expect(login.wait(atMost: .seconds(20)).exitCode, 2)
    }

    @Test func `a password at a prompt may be longer than the terminal's line limit`() throws {
        let long = String(repeating: "p", count: 6000)
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("\(long)\n")
        #expect(terminal.waitFor(Prompt.confirmation))
        terminal.type("\(long)\n")
        expect(signup.wait().exitCode, 0)
        let login = try world.run("login", "ada", "--password-stdin", input: "\(long)\n")
        expect(login.exitCode, 0)
        #expect(!terminal.shown.contains("ppp"))
    }
}
