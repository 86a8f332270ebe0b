import TestSupport
import Testing

/// Colour depends on the terminal, the environment variables and `--color`.
@Suite struct ColorTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
    }

    @Test(arguments: [
        ([], [:], true), ([], ["NO_COLOR": "1"], false), ([], ["NO_COLOR": ""], true), ([], ["TERM": "dumb"], false),
        ([], ["CLICOLOR": "0"], false), (["--color", "never"], ["CLICOLOR_FORCE": "1"], false),
        (["--color=always"], ["NO_COLOR": "1", "TERM": "dumb"], true), (["--color", "auto"], [:], true),
    ])
    func `output to a terminal has colour unless it is disabled`(
        words: [String], environment: [String: String], isColored: Bool
    ) throws {
        let terminal = try PseudoTerminal()
        let result = try world.start(["whoami"] + words, environment: environment, terminal: terminal).wait()
        #expect(result.exitCode == 0)
        #expect(terminal.waitFor("ada"))
        #expect(terminal.shown.contains("\u{1B}[1m") == isColored)
    }

    @Test(arguments: [
        ([], [:], false), ([], ["CLICOLOR_FORCE": "1"], true), ([], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
        (["--color", "always"], [:], true), (["--color", "always"], ["NO_COLOR": "1"], true),
        (["--color", "auto"], [:], false),
    ])
    func `output to a file has no colour unless it is forced`(
        words: [String], environment: [String: String], isColored: Bool
    ) throws {
        let result = try world.start(["whoami"] + words, environment: environment).wait()
        #expect(result.stdout.contains("\u{1B}") == isColored)
    }

    @Test func `colour is decided for each stream`() throws {
        let terminal = try PseudoTerminal()
        let path = "\(world.root)/redirected"
        let script = #""$A" whoami >"\#(path)"; "$A" logni >>"\#(path)""#
        let result = try world.start(
            [], environment: ["A": BuiltBinary.path], terminal: terminal, program: ["/bin/bash", "-c", script])
        #expect(result.wait().exitCode == 2)
        #expect(terminal.waitFor("logni"))
        #expect(terminal.shown.contains("\u{1B}["))
        #expect(try !world.text(path).contains("\u{1B}"))
    }

    @Test(arguments: ["whoami", "token", "sessions"])
    func `JSON documents never have colour`(command: String) throws {
        let result = try world.run(command, "--json", "--color", "always", environment: ["CLICOLOR_FORCE": "1"])
        #expect(!result.stdout.contains("\u{1B}"))
    }

    @Test func `the token never has colour`() throws {
        #expect(try world.run("token", "--color", "always").stdout.hasPrefix("r:"))
    }
}
