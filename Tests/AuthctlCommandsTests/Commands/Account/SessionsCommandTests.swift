import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct SessionsCommandTests {
    let world = TestContext()

    init() {
        world.sessions.put(.ada)
    }

    @Test(arguments: [["sessions"], ["sessions", "list"]])
    func `are listed, the current one marked`(words: [String]) {
        expectList()
        let result = world.run(words: words)
        #expect(
            result.stdout == """
                   ID          CREATED               EXPIRES               WITH      DEVICE
                *  Xk2LmN3oPq  2026-01-02T03:04:05Z  2027-01-02T03:04:05Z  password
                   other       2026-01-02T03:04:05Z  2027-01-02T03:04:05Z  password  phone

                """)
        #expect(result.exitCode == 0)
    }

    @Test func `are listed in JSON`() {
        expectList()
        let result = world.run("sessions", "--json")
        #expect(
            result.stdout == """
                {"v":1,"kind":"sessions","profile":"default","complete":true,"items":[\
                {"id":"Xk2LmN3oPq","current":true,"createdAt":"2026-01-02T03:04:05Z",\
                "expiresAt":"2027-01-02T03:04:05Z","lastSeenAt":null,"createdWith":"password","device":null,"address":null},\
                {"id":"other","current":false,"createdAt":"2026-01-02T03:04:05Z",\
                "expiresAt":"2027-01-02T03:04:05Z","lastSeenAt":null,"createdWith":"password","device":"phone","address":null}],\
                "error":null}

                """)
    }

    @Test func `cannot be listed with a dead session`() {
        world.server.expect(.embedded("GET", "sessions/me", token: Exchange.adaToken, 400, Exchange.sessionRevoked))
        let result = world.run("sessions", "--json")
        #expect(
            result.stdout.hasPrefix(
                #"{"v":1,"kind":"sessions","profile":"default","complete":false,"items":[],"#
                    + #""error":{"code":"rejected","exit":4,"reason":"session-revoked","#))
        #expect(result.exitCode == 4)
    }

    @Test func `cannot be listed by nobody`() {
        let result = TestContext().run("sessions")
        #expect(result.stdout == "")
        #expect(result.exitCode == 3)
    }

    @Test func `are ended by their ids`() {
        expectList()
        world.server.expect(.endSession("other"))
        let result = world.run("sessions", "revoke", "other")
        #expect(result.stdout == "ended 1 session\n")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current == .ada)
    }

    @Test func `are ended in JSON`() {
        expectList()
        world.server.expect(.endSession("other"), .endSession("Xk2LmN3oPq"))
        let result = world.run("sessions", "revoke", "Xk2LmN3oPq", "other", "--json")
        #expect(
            result.stdout == """
                {"v":1,"kind":"sessions.revoke","profile":"default","revoked":["other","Xk2LmN3oPq"],"forgotten":true}

                """)
        #expect(world.sessions.current == nil)
    }

    @Test func `are ended all but the current one`() {
        expectList()
        world.server.expect(.endSession("other"))
        expectCurrentAlone()
        #expect(world.run("sessions", "revoke", "--others").stdout == "ended 1 session\n")
        #expect(world.sessions.current == .ada)
    }

    @Test func `are ended all, and forgotten here`() {
        expectList()
        world.server.expect(.endSession("other"))
        expectCurrentAlone()
        world.server.expect(.endSession("Xk2LmN3oPq"))
        let result = world.run("sessions", "revoke", "--all")
        #expect(result.stdout == "ended 2 sessions, the current one too: logged out\n")
        #expect(world.sessions.current == nil)
    }

    @Test func `are not ended when one is unknown`() {
        expectList()
        let result = world.run("sessions", "revoke", "other", "nope")
        #expect(
            result.stderr == """
                authctl: error: there is no session 'nope'
                authctl: hint: list the sessions: authctl sessions list

                """)
        #expect(result.exitCode == 7)
    }

    @Test(arguments: [
        ([], "it is not said which sessions to end"),
        (["--all", "--others"], "ids, --others and --all exclude each other"),
        (["x", "--all"], "ids, --others and --all exclude each other"),
        (["x", "--others"], "ids, --others and --all exclude each other"),
    ])
    func `are not ended as long as it is not clear which`(words: [String], message: String) {
        let result = world.run(words: ["sessions", "revoke"] + words)
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == 2)
    }

    private func expectList() {
        world.server.expect(
            .currentSession(),
            .sessions(Exchange.sessionRow("Xk2LmN3oPq"), Exchange.sessionRow("other", device: "phone")))
    }

    private func expectCurrentAlone() {
        world.server.expect(.currentSession(), .sessions(Exchange.sessionRow("Xk2LmN3oPq")))
    }
}
