import Foundation
import TestSupport
import Testing

/// The progress notice of a slow request is shown only at a terminal.
@Suite(.mostlyWaits) struct ProgressNoticeTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a slow login shows a notice at a terminal and clears it`() throws {
        let terminal = try PseudoTerminal()
        let login = try startSlowLogin(terminal: terminal)
        #expect(login.wait().exitCode == 4, "\(terminal.shown)")
        #expect(terminal.shown.contains("…"))
        let rest = try #require(terminal.shown.components(separatedBy: "…").last)
        #expect(rest.hasPrefix("\r\u{1B}[Kauthctl: "))
    }

    @Test(arguments: [
        ([], ["CI": "1"]), ([], ["TERM": "dumb"]), (["--quiet"], [:]), (["--json"], [:]),
    ])
    func `no notice is shown with CI, a dumb terminal, --quiet or --json`(
        words: [String], environment: [String: String]
    ) throws {
        let terminal = try PseudoTerminal()
        let login = try startSlowLogin(words + ["--color", "never"], environment, terminal: terminal)
        #expect(login.wait().exitCode == 4, "\(terminal.shown)")
        #expect(!terminal.shown.contains("…"))
        #expect(!terminal.shown.contains("\u{1B}"))
    }

    @Test func `no notice is written to a pipe`() throws {
        let result = try startSlowLogin().wait()
        #expect(result.exitCode == 4)
        #expect(result.stdout.isEmpty)
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("authctl: error: ") || $0.hasPrefix("authctl: hint: ") })
        #expect(!result.stderr.contains("\u{1B}") && !result.stderr.contains("\r"))
    }

    @Test func `a trace starts on its own line after a notice`() throws {
        let terminal = try PseudoTerminal()
        let login = try startSlowLogin(["-v", "--color", "never"], terminal: terminal)
        #expect(login.wait().exitCode == 4, "\(terminal.shown)")
        #expect(terminal.shown.contains("\r\u{1B}[Kauthctl: < 404 in "))
    }

    /// Starts a login that the server rejects after one second.
    private func startSlowLogin(
        _ words: [String] = [], _ environment: [String: String] = [:], terminal: PseudoTerminal? = nil
    ) throws -> RunningProgram {
        let server = try ScriptedServer([
            "/parse/login": [
                ScriptedServer.Answer(
                    when: .request,
                    [
                        .pause(1),
                        .send(
                            "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 53\r\n\r\n"
                                + #"{"code":101,"error":"Invalid username/password."}    "#),
                    ])
            ]
        ])
        servers.append(server)
        return try world.start(
            ["login", "ada"] + server.options + words,
            environment: environment.merging(["AUTHCTL_PASSWORD": Sandbox.password]) { $1 }, terminal: terminal)
    }

    private let servers = Servers()

    private final class Servers {
        private var all: [ScriptedServer] = []
        func append(_ server: ScriptedServer) { all.append(server) }
    }
}
