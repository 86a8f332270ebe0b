import Foundation
import TestSupport
import Testing

/// What somebody pastes or edits at a prompt.
@Suite(.keepsInvariants) struct PastedInputTests {
    private let world: Sandbox
    private let terminal: PseudoTerminal

    init() throws {
        world = try Sandbox()
        terminal = try PseudoTerminal()
    }

    /// A log-in, and behind it somebody who reads on and tells what came.
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

    @Test func `lines pasted at once answer one prompt each`() throws {
        let signup = try world.start(["signup"], terminal: terminal)
        #expect(terminal.waitFor("User name: "))
        terminal.type("ada\n\(Sandbox.password)\n\(Sandbox.password)\n")
        #expect(signup.wait().exitCode == 0)
        #expect(terminal.waitFor("Password: "))
        #expect(terminal.waitFor("The same again: "))
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `lines pasted at a hidden prompt stay hidden`() throws {
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\(Sandbox.password)\n\(Sandbox.password)\n")
        #expect(signup.wait().exitCode == 0)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `what is left of a paste reaches no shell`() throws {
        try world.signUp("ada")
        let shell = try startLogInBeforeShell()
        #expect(terminal.waitFor("User name: "))
        terminal.type("ada\n\(Sandbox.password)\ntouch canary\n")
        #expect(terminal.waitFor("ended with 0"))
        #expect(terminal.waitFor("left: ''"))
        shell.wait()
    }

    @Test func `a line longer than a terminal takes is refused and leaves nothing behind`() throws {
        let shell = try startLogInBeforeShell()
        #expect(terminal.waitFor("User name: "))
        terminal.type(String(repeating: "x", count: 3000))
        #expect(terminal.waitFor("x", times: 3000))
        terminal.type(String(repeating: "x", count: 3000) + "\n")
        #expect(terminal.waitFor("is longer than a terminal takes"))
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
    func `the keys that edit a line edit an unseen one`(typed: String, what: String) throws {
        terminal.expectUTF8()
        try world.signUp("ada")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\(typed)\n")
        #expect(login.wait().exitCode == 0, "\(what)")
    }

    @Test func `a window that changes its size disturbs no prompt`() throws {
        try world.signUp("ada")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("correct horse")
        terminal.resize(columns: 30)
        login.send(SIGWINCH)
        terminal.type(" battery\n")
        #expect(login.wait().exitCode == 0)
        #expect(terminal.shown.components(separatedBy: "Password: ").count == 2)
    }

    @Test func `no prompt turns on the marking of pastes`() throws {
        try world.signUp("ada")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\(Sandbox.password)\n")
        #expect(login.wait().exitCode == 0)
        #expect(!terminal.shown.contains("\u{1B}[?"))
    }
}
