import TestSupport
import Testing

/// A job that nobody watches ends at once, before anything goes out.
@Suite struct NoTerminalConventionTests {
    @Test(arguments: [
        ["login", "ada"], ["login"], ["signup", "ada"], ["signup", "--password-stdin"], ["login", "--password", "x"],
        ["login", "ada", "--pasword-stdin"],
    ])
    func `what is missing is told before the server hears anything`(words: [String]) throws {
        let world = try Sandbox()
        let server = try ScriptedServer("/login", "500 No", "{}")
        let result = try world.start(words + server.options).wait()
        #expect(result.exitCode == 2)
        #expect(result.stdout.isEmpty)
        #expect(result.errorLines.last?.hasPrefix("authctl: hint: ") == true)
        #expect(server.connections() == 0)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `without a controlling terminal the option is named all the same`() throws {
        let world = try Sandbox()
        let terminal = try PseudoTerminal()
        // The streams are a terminal's, but /dev/tty is nobody's.
        let login = try world.start(
            ["login", "ada"], under: ["/usr/bin/setsid", "--wait"], terminal: terminal)
        #expect(login.wait().exitCode == 2)
        #expect(terminal.waitFor("give it with --password-stdin"))
        #expect(!terminal.shown.contains("Password: "))
    }
}
