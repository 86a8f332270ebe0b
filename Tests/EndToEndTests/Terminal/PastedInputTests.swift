import Foundation
import TestSupport

/// Text that a user pastes or edits at a prompt.
@Suite(.mostlyWaits, .keepsInvariants) struct PastedInputTests {
    private let world = Sandbox()
    private let terminal = PseudoTerminal()

    /// Starts a shell that runs a login, then reads and prints the remaining input.
    private func startLogInBeforeShell() throws -> RunningProgram {
        let script = """
            "$A" login
            echo "ended with $?"
            read -r -t 0.2 rest
            echo "left: '$rest'"
            """
        return try world.start(
            [], environment: ["A": BuiltBinary.path], terminal: terminal, program: ["/bin/bash", "-c", script])
    }

    @Test func `a second line pasted at a username prompt does not reach the shell`() throws {
        try world.signUp("ada")
        let shell = try startLogInBeforeShell()
        #expect(terminal.waitFor(Prompt.username))
        terminal.type("ada\ntouch canary\n")
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor("ended with 0"))
        #expect(terminal.waitFor("left: ''"))
        shell.wait()
    }

    @Test func `a username prompt rejects a line longer than the terminal's limit`() throws {
        let shell = try startLogInBeforeShell()
        #expect(terminal.waitFor(Prompt.username))
        terminal.type(String(repeating: "x", count: 3000))
        #expect(terminal.waitFor("x", times: 3000))
        terminal.type(String(repeating: "x", count: 3000) + "\n")
        #expect(terminal.waitFor("authctl: "))
        #expect(terminal.waitFor("ended with 2"))
        #expect(terminal.waitFor("left: ''"))
        shell.wait()
    }

    @Test(arguments: [
        ("wrong\u{15}correct horse battery", "a line killed"),
        ("correct horse batteryx\u{7F}", "a letter erased"),
        ("correct horse wrong\u{17}battery", "a word erased"),
        ("correct horse battery\u{E9}\u{7F}", "a letter of two bytes erased"),
        ("correct horse battery\u{65E5}\u{7F}", "a letter of three bytes erased"),
    ])
    func `line editing keys work at a password prompt`(typed: String, what: String) throws {
        terminal.expectUTF8()
        try world.signUp("ada")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("\(typed)\n")
        expect(login.wait().exitCode, 0, "\(what)")
    }

    @Test func `a window resize (SIGWINCH) does not disturb a prompt`() throws {
        try world.signUp("ada")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("correct horse")
        terminal.resize(columns: 30)
        login.send(SIGWINCH)
        terminal.type(" battery\n")
        expect(login.wait().exitCode, 0)
        expect(terminal.shown.components(separatedBy: Prompt.password).count, 2)
    }
}
