import Foundation
import TestSupport
import Testing

/// A signal during a progress notice clears the line of the notice.
@Suite(.keepsInvariants, .mostlyWaits) struct NoticeSignalTests {
    private let world: Sandbox
    private let terminal: PseudoTerminal
    private let server: ScriptedServer

    init() throws {
        world = try Sandbox()
        terminal = try PseudoTerminal()
        server = try ScriptedServer(["*": [[.stall]]])
        world.set("A", to: BuiltBinary.path)
        world.set("AUTHCTL_PASSWORD", to: Sandbox.password)
    }

    @Test(arguments: [("\u{3}", "^C", SIGINT), ("\u{1C}", "^\\", SIGQUIT)])
    func `the interrupt and quit keys during a notice clear its line`(key: String, echo: String, signal: Int32) throws {
        let before = terminal.settingsText
        let login = try startLogin()
        terminal.type(key)
        #expect(login.wait().signal == signal)
        #expect(terminal.shown.hasSuffix("…\(echo)\r\u{1B}[K"))
        #expect(terminal.settingsText == before)
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func `a signal during a notice clears its line`(signal: Int32) throws {
        let login = try startLogin()
        login.send(signal)
        #expect(login.wait().signal == signal)
        #expect(terminal.shown.hasSuffix("…\r\u{1B}[K"))
    }

    @Test func `an ignored signal does not disturb a notice`() throws {
        let login = try startLogin(under: .shell("trap '' INT"))
        login.send(SIGINT)
        #expect(terminal.waitFor("…", times: 4))
        login.send(SIGTERM)
        #expect(login.wait().signal == SIGTERM)
    }

    @Test func `a stopped terminal does not delay the end of a command`() throws {
        let login = try startLogin()
        terminal.type("\u{13}")
        usleep(300_000)
        login.send(SIGTERM)
        #expect(login.wait(atMost: .seconds(5)).signal == SIGTERM)
    }

    @Test func `a notice clears its line when stopped and returns when continued`() throws {
        let words = server.options.joined(separator: " ")
        let script = """
            set -m
            "$A" login ada \(words)
            echo "stopped with $?"
            bg >/dev/null
            read -r
            fg >/dev/null
            """
        let shell = try world.start([], terminal: terminal, program: ["/bin/bash", "-c", script])
        #expect(terminal.waitFor("…"))
        terminal.type("\u{1A}")
        #expect(terminal.waitFor("stopped with 148"))
        #expect(terminal.shown.contains("…^Z\r\u{1B}[K"))
        // A stopped command prints nothing, because the line belongs to the shell.
        usleep(500_000)
        #expect(terminal.shown.hasSuffix("stopped with 148\r\n"))
        terminal.type("\n")
        let count = terminal.shown.components(separatedBy: "…").count
        #expect(terminal.waitFor("…", times: count))
        terminal.type("\u{3}")
        shell.wait()
        #expect(terminal.shown.contains("…^C\r\u{1B}[K"))
    }

    @Test(arguments: [false, true])
    func `an interrupted refresh clears the line of its notice`(isLost: Bool) throws {
        let refresh: ScriptedServer.Answer = isLost ? [.stall] : .answer("500 Oops").after(seconds: 1)
        let site = try ScriptedSite(access: ScriptedSite.token(), ["token/refresh/": [refresh]])
        try site.world.letSessionRunOut("site")
        let whoami = try site.world.start(["whoami"], terminal: terminal)
        #expect(terminal.waitFor("…"))
        terminal.type("\u{3}")
        #expect(whoami.wait(atMost: .seconds(5)).signal == SIGINT)
        #expect(terminal.shown.hasSuffix("\r\u{1B}[K"))
    }

    /// Returns when the notice is visible.
    private func startLogin(under: [String] = []) throws -> RunningProgram {
        let login = try world.start(["login", "ada"] + server.options, under: under, terminal: terminal)
        #expect(terminal.waitFor("…"))
        return login
    }
}
