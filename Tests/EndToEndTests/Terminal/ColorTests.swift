import TestSupport
import Testing

@Suite struct ColorTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
    }

    @Test func `only an output stream connected to a terminal is colored`() throws {
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
}
