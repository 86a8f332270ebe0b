import CommandTestSupport
import MessageSnapshots
import Testing

@testable import AuthctlCommands

@Suite struct VerboseOutputTests {
    @Test func `--verbose traces every request, but not its headers, query or body`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.currentSession(), .sessions())
        let result = world.run("sessions", "--verbose", "--json")
        MessageFile("commands/verbose").expect(result.stderr.replacing(#/in \d+ ms/#, with: "in 0 ms"))
        #expect(result.stdout.hasPrefix("{"))
    }

    @Test func `--verbose prints the error message of the server`() {
        let world = TestContext()
        world.server.expect(.logIn("ada", "wrong", 404, #"{"code":101,"error":"Invalid username/password."}"#))
        let result = world.run("login", "ada", "-v", "--password-stdin", stdin: "wrong")
        #expect(result.stderr.contains("Invalid username/password."))
        #expect(result.stderr.contains("404"))
        #expect(result.stderr.contains("101"))
    }
}
