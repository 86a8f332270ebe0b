import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct ColorTests {
    private let world = TestContext()

    struct Case: Sendable {
        var choice: ColorChoice?
        var environment: [String: String] = [:]
        var isTerminal = true
    }

    @Test(arguments: [
        (Case(), true),
        (Case(isTerminal: false), false),
        (Case(environment: ["NO_COLOR": "1"]), false),
        (Case(environment: ["NO_COLOR": "0"]), false),
        (Case(environment: ["NO_COLOR": ""]), true),
        (Case(environment: ["TERM": "dumb"]), false),
        (Case(environment: ["TERM": "xterm"]), true),
        (Case(environment: ["CLICOLOR": "0"]), false),
        (Case(environment: ["CLICOLOR": "1"], isTerminal: false), false),
        (Case(environment: ["CLICOLOR_FORCE": "1"], isTerminal: false), true),
        (Case(environment: ["CLICOLOR_FORCE": "0"], isTerminal: false), false),
        (Case(environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]), false),
        (Case(environment: ["CLICOLOR_FORCE": "1", "TERM": "dumb"], isTerminal: false), true),
        (Case(choice: .auto), true),
        (Case(choice: .auto, isTerminal: false), false),
        (Case(choice: .auto, environment: ["NO_COLOR": "1"]), false),
        (Case(choice: .always, environment: ["NO_COLOR": "1", "TERM": "dumb"], isTerminal: false), true),
        (Case(choice: .never, environment: ["CLICOLOR_FORCE": "1"]), false),
    ])
    func `--color overrides variables such as NO_COLOR, which override the detection of a terminal`(
        given: Case, isColored: Bool
    ) {
        let style = TextStyle(given.choice, .fixed(given.environment), isTerminal: given.isTerminal)
        expect(style.isColored, isColored)
    }

    @Test(arguments: [(true, false), (false, true), (true, true), (false, false)])
    func `standard output and standard error are colored independently`(isOutputTerminal: Bool, isErrorTerminal: Bool) {
        world.isOutputTerminal = isOutputTerminal
        world.isErrorTerminal = isErrorTerminal
        world.sessions.put(.ada)
        expect(world.run("whoami", "--offline").stdout.contains("\u{1B}[1mada\u{1B}[0m"), isOutputTerminal)
        expect(world.run("whoami", "-p", "x").stderr.contains("\u{1B}[31merror\u{1B}[0m"), isErrorTerminal)
    }

    @Test func `JSON output is never colored`() {
        world.isOutputTerminal = true
        world.isErrorTerminal = true
        world.sessions.put(.ada)
        #expect(!world.run("whoami", "--offline", "--json", "--color", "always").stdout.contains("\u{1B}"))
        #expect(!world.run("whoami", "-p", "x", "--json", "--color", "always").stderr.contains("\u{1B}"))
    }

    @Test(arguments: [["help"], ["--help"], ["help", "login"], ["login", "--help"]])
    func `help respects --color`(words: [String]) {
        #expect(world.run(words: words + ["--color", "always"]).stdout.contains("\u{1B}[1m"))
        world.isOutputTerminal = true
        #expect(!world.run(words: words + ["--color=never"]).stdout.contains("\u{1B}"))
    }
}
