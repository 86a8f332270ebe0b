import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct LogoutCommandTests {
    @Test func `ends the session and forgets it`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.logOut())
        let result = world.run("logout")
        #expect(result.stdout == "logged out (profile 'default')\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current == nil)
    }

    @Test func `says it in JSON`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.logOut())
        #expect(
            world.run("logout", "--json").stdout == """
                {"v":1,"kind":"logout","profile":"default","changed":true,"revoked":"yes","forgotten":true,"error":null}

                """)
    }

    @Test func `does no harm a second time`() {
        let world = TestContext()
        let text = world.run("logout")
        #expect(text.stdout == "nobody was logged in (profile 'default')\n")
        #expect(text.exitCode == 0)
        let json = world.run("logout", "--json")
        #expect(
            json.stdout == """
                {"v":1,"kind":"logout","profile":"default","changed":false,"revoked":"already","forgotten":false,\
                "error":null}

                """)
        #expect(json.exitCode == 0)
    }

    @Test func `takes a session that was dead already for ended`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.logOut(400, Exchange.sessionRevoked))
        let result = world.run("logout")
        #expect(result.stdout == "logged out (profile 'default'); the session had already ended\n")
        #expect(result.exitCode == 0)
    }

    @Test func `forgets the session when the server fails, and fails`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.logOut(500, #"{"code":1,"error":"x"}"#))
        let result = world.run("logout")
        #expect(result.stdout == "forgot the session (profile 'default'); it may still be alive at the server\n")
        #expect(
            result.stderr == """
                authctl: error: the session may still be alive at the server: the server failed
                authctl: hint: log in again and end the others: authctl sessions revoke --others

                """)
        #expect(result.exitCode == 9)
        #expect(world.sessions.current == nil)
    }

    @Test func `puts the state on standard output in JSON when the server fails`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.logOut(404, "<html>"))
        let result = world.run("logout", "--json")
        #expect(
            result.stdout.hasPrefix(
                #"{"v":1,"kind":"logout","profile":"default","changed":true,"revoked":"unknown","forgotten":true,"#
                    + #""error":{"code":"unreachable","exit":8,"reason":"wrong-endpoint","#))
        #expect(result.stderr == "")
        #expect(result.exitCode == 8)
    }

    @Test(arguments: [
        (Exchange.logOut(), "the session is ended at the server, but forgetting it here failed"),
        (
            Exchange.logOut(500, #"{"code":1,"error":"x"}"#),
            "forgetting the session here failed, and it may still be alive at the server"
        ),
    ])
    func `calls nothing forgotten that is still kept`(answer: Exchange, text: String) {
        let world = TestContext()
        world.sessions.put(.ada)
        world.sessions.fail(.remove, with: AuthError(.notWritten, "read-only"))
        world.server.expect(answer)
        let result = world.run("logout")
        #expect(result.stdout == "\(text) (profile 'default')\n")
        #expect(result.stderr.contains("hint: once that is fixed, forget it: authctl logout\n"))
        #expect(result.exitCode == 12)
        #expect(world.sessions.current == .ada)
    }

    @Test func `asks nobody when it is offline`() {
        let world = TestContext()
        world.sessions.put(.ada)
        let result = world.run("logout", "--offline")
        #expect(result.stdout == "forgot the session (profile 'default'); it may still be alive at the server\n")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current == nil)
    }

    @Test func `ends the sessions of all profiles, whatever becomes of one`() throws {
        let world = TestContext()
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci", session: .sample("r:ci")))
        world.sessions.put(.ada)
        world.sessions.put(.sample(profile: "gone", session: .sample("r:gone")))
        world.server.expect(.logOut(token: "r:ci"), .logOut())
        let result = world.run("logout", "--all-profiles")
        #expect(
            result.stdout == """
                logged out (profile 'ci')
                logged out (profile 'default')
                forgot the session (profile 'gone'); it may still be alive at the server

                """)
        #expect(result.stderr.hasPrefix("authctl: error: the session of 'gone' may still be alive at the server"))
        #expect(result.exitCode == 8)
        #expect(try world.sessions.profiles() == [])
    }

    @Test(arguments: [([], 8), (["--offline"], 0)] as [([String], Int32)])
    func `forgets the session of a profile that is gone, which is an error only if it was to be ended`(
        words: [String], exitCode: Int32
    ) throws {
        let world = TestContext()
        world.sessions.put(.sample(profile: "gone"))
        let result = world.run(words: ["logout", "--all-profiles"] + words)
        #expect(result.stdout == "forgot the session (profile 'gone'); it may still be alive at the server\n")
        #expect(result.exitCode == exitCode)
        #expect(result.stderr.isEmpty == (exitCode == 0))
        #expect(try world.sessions.profiles() == [])
    }

    @Test func `forgets the session of a profile that is gone although it cannot be read`() throws {
        let world = TestContext()
        world.sessions.put(.sample(profile: "gone"))
        world.sessions.fail(.read, with: AuthError(.corrupt, "damaged"))
        let result = world.run("logout", "--all-profiles", "--json")
        #expect(
            result.stdout.contains(#""items":[{"profile":"gone","changed":true,"revoked":"unknown","forgotten":true,"#))
        #expect(result.exitCode == 8)
        #expect(try world.sessions.profiles() == [])
    }

    @Test func `says which session of a profile that is gone could not be forgotten`() {
        let world = TestContext()
        world.sessions.put(.sample(profile: "gone"))
        world.sessions.fail(.remove, with: AuthError(.notWritten, "the folder cannot be written"))
        let result = world.run("logout", "--all-profiles")
        #expect(result.stdout == "")
        #expect(result.stderr == "authctl: error: the folder cannot be written\n")
        #expect(result.exitCode == 12)
    }

    @Test(arguments: [AuthMethod.password, .anonymous, nil])
    func `says nothing of Facebook where nobody came from there`(method: AuthMethod?) {
        let world = TestContext()
        world.sessions.put(.sample(method: method))
        world.server.expect(.logOut())
        #expect(world.run("logout").stdout == "logged out (profile 'default')\n")
    }

    @Test func `says that it leaves the log-in at Facebook alone`() {
        let world = TestContext()
        world.sessions.put(.sample(method: .facebook))
        world.server.expect(.logOut())
        #expect(
            world.run("logout").stdout
                == "logged out (profile 'default')\nthe log-in at Facebook was left alone\n")
        world.sessions.put(.sample(method: .facebook))
        #expect(
            world.run("logout", "--offline").stdout.hasSuffix("the log-in at Facebook was left alone\n"))
    }

    @Test func `says it once for all profiles`() {
        let world = TestContext()
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci", session: .sample("r:ci"), method: .facebook))
        world.sessions.put(.sample(method: .facebook))
        world.server.expect(.logOut(token: "r:ci"), .logOut())
        #expect(
            world.run("logout", "--all-profiles").stdout == """
                logged out (profile 'ci')
                logged out (profile 'default')
                the log-in at Facebook was left alone

                """)
    }

    @Test func `tells of all profiles in one document`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.logOut())
        #expect(
            world.run("logout", "--all-profiles", "--json").stdout == """
                {"v":1,"kind":"logout","profile":null,"changed":true,"revoked":"yes","forgotten":true,"error":null,\
                "items":[{"profile":"default","changed":true,"revoked":"yes","forgotten":true,"error":null}]}

                """)
    }
}
