import CommandTestSupport

@testable import AuthctlCommands

/// `sessions list` and `sessions revoke`.
@Suite struct SessionsCommandTests {
    let world = TestContext()

    init() {
        world.sessions.put(.ada)
    }

    @Test(arguments: [["sessions"], ["sessions", "list", "--json"]])
    func `the list of sessions marks the current session`(words: [String]) {
        expectList()
        world.run(words: words).expectTranscript(in: "sessions", words.commandLine)
    }

    @Test func `sessions --json reports a server failure in its JSON document`() {
        world.server.expect(
            .embedded("GET", "sessions/me", token: Exchange.adaToken, 500, #"{"code":1,"error":"x"}"#))
        let result = world.run("sessions", "--json")
        expect(result.exitCode, 9)
        #expect(result.stdout.hasPrefix(#"{"v":1,"kind":"sessions","profile":"default","complete":false,"items":[],"#))
    }

    @Test func `sessions revoke with the id of another session keeps the current session`() {
        expectList()
        world.server.expect(.endSession("other"))
        world.run("sessions", "revoke", "other").expectTranscript(in: "sessions")
        expect(world.sessions.current, .ada)
    }

    @Test func `sessions revoke with the id of the current session deletes the saved session`() {
        expectList()
        world.server.expect(.endSession("other"), .endSession("Xk2LmN3oPq"))
        world.run("sessions", "revoke", "Xk2LmN3oPq", "other", "--json").expectTranscript(in: "sessions")
        expect(world.sessions.current, nil)
    }

    @Test func `sessions revoke --others revokes all sessions except the current session`() {
        expectList()
        world.server.expect(.endSession("other"))
        world.run("sessions", "revoke", "--others").expectTranscript(in: "sessions")
        expect(world.sessions.current, .ada)
    }

    @Test func `sessions revoke --all revokes all sessions and logs out`() {
        expectList()
        world.server.expect(.endSession("other"), .endSession("Xk2LmN3oPq"))
        world.run("sessions", "revoke", "--all").expectTranscript(in: "sessions")
        expect(world.sessions.current, nil)
    }

    @Test func `sessions revoke requires ids, --others or --all`() {
        world.run("sessions", "revoke").expectErrors(in: "sessions", "none")
    }

    private func expectList() {
        world.server.expect(
            .currentSession(),
            .sessions(Exchange.sessionRow("Xk2LmN3oPq"), Exchange.sessionRow("other", device: "phone")),
            .sessions(after: 2))
    }
}
