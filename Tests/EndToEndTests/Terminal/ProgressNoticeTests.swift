import Foundation
import TestSupport

/// The progress notice of a slow request at a terminal.
@Suite(.mostlyWaits) struct ProgressNoticeTests {
    private let world = Sandbox()

    @Test func `a slow login shows a progress notice at a terminal and clears the notice`() throws {
        let terminal = PseudoTerminal()
        let login = try runSlowLogin(terminal: terminal)
        expect(login.exitCode, 4, "\(terminal.shown)")
        #expect(terminal.shown.contains("…"))
        let rest = try #require(terminal.shown.components(separatedBy: "…").last)
        #expect(rest.hasPrefix("\r\u{1B}[Kauthctl: "))
    }

    @Test(arguments: [([], ["CI": "1"]), ([], ["TERM": "dumb"]), (["--quiet"], [:]), (["--json"], [:])])
    func `no progress notice is shown in CI, on a dumb terminal, or with --quiet or --json`(
        words: [String], environment: [String: String]
    ) throws {
        let terminal = PseudoTerminal()
        let login = try runSlowLogin(words + ["--color", "never"], environment, terminal: terminal)
        expect(login.exitCode, 4, "\(terminal.shown)")
        #expect(!terminal.shown.contains("…"))
        #expect(!terminal.shown.contains("\u{1B}"))
    }

    /// Runs a login that the server rejects after one second.
    private func runSlowLogin(
        _ words: [String] = [], _ environment: [String: String] = [:], terminal: PseudoTerminal
    ) throws -> Finished {
        let rejection = ScriptedServer.Answer.json(
            #"{"code":101,"error":"Invalid username/password."}"#, "404 Not Found")
        let server = try ScriptedServer(["/parse/login": [rejection.after(seconds: 1)]])
        return try world.start(
            ["login", "ada"] + ParseSession.options(at: server.url("/parse")) + words,
            environment: environment.merging(["AUTHCTL_PASSWORD": Sandbox.password]) { $1 }, terminal: terminal
        ).wait()
    }
}

@Suite(.mostlyWaits) struct ColorTests {
    private let world = Sandbox()

    init() throws {
        try world.signUp("ada")
    }

    @Test func `only an output stream connected to a terminal is colored`() throws {
        let terminal = PseudoTerminal()
        let path = "\(world.root)/redirected"
        let script = #""$A" whoami >"\#(path)"; "$A" logni >>"\#(path)""#
        let result = try world.start(
            [], environment: ["A": BuiltBinary.path], terminal: terminal, program: ["/bin/bash", "-c", script])
        expect(result.wait().exitCode, 2)
        #expect(terminal.waitFor("logni"))
        #expect(terminal.shown.contains("\u{1B}["))
        #expect(try !world.text(path).contains("\u{1B}"))
    }
}
