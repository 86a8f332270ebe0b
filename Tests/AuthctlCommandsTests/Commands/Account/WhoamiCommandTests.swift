import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct WhoamiCommandTests {
    static let user = #"""
        "user":{"id":"g7y9tkhB7O","username":"ada","email":"ada@example.org","emailVerified":null,\#
        "createdAt":"2026-01-02T03:04:05Z","providers":[],"fields":{}}
        """#
    static let session = #"""
        "session":{"id":"Xk2LmN3oPq","createdAt":"2026-01-02T03:04:05Z","expiresAt":"2027-01-02T03:04:05Z"}
        """#

    @Test func `shows the user whom the server knows`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.currentUser())
        let result = world.run("whoami")
        #expect(
            result.stdout == """
                ada (profile 'default', accounts on this machine)
                e-mail:  ada@example.org
                session: until 2027-01-02T03:04:05Z

                """)
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test(arguments: [["--json"], ["--output", "json"], ["--output=json"]])
    func `shows it in JSON, however that is asked for`(words: [String]) {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.currentUser())
        let result = world.run(words: ["whoami"] + words)
        #expect(
            result.stdout == """
                {"v":1,"kind":"whoami","state":"valid","checked":true,"profile":"default","backend":"local",\
                "server":null,"source":"file",\(Self.user),\(Self.session),"error":null}

                """)
        #expect(result.exitCode == 0)
    }

    @Test func `asks nobody when it is offline`() {
        let world = TestContext()
        world.sessions.put(.ada)
        let text = world.run("whoami", "--offline")
        #expect(text.stdout.hasPrefix("ada (profile 'default', accounts on this machine), not checked\n"))
        let json = world.run("whoami", "--offline", "--json")
        #expect(json.stdout.hasPrefix(#"{"v":1,"kind":"whoami","state":"stored","checked":false,"#))
        #expect(json.exitCode == 0)
    }

    @Test func `is absent where nobody is logged in`() {
        let text = TestContext().run("whoami")
        #expect(text.stdout == "nobody is logged in (profile 'default', accounts on this machine)\n")
        #expect(
            text.stderr == """
                authctl: error: nobody is logged in (profile 'default')
                authctl: hint: log in: authctl login USERNAME
                authctl: hint: create an account: authctl signup USERNAME

                """)
        #expect(text.exitCode == 3)
    }

    @Test func `puts the state on standard output in JSON, and fails all the same`() {
        let result = TestContext().run("whoami", "--json")
        #expect(
            result.stdout == """
                {"v":1,"kind":"whoami","state":"absent","checked":false,"profile":"default","backend":"local",\
                "server":null,"source":null,"user":null,"session":null,"error":{"code":"not-logged-in","exit":3,\
                "reason":"no-session","message":"nobody is logged in (profile 'default')",\
                "hint":"log in: authctl login USERNAME","hints":["log in: authctl login USERNAME",\
                "create an account: authctl signup USERNAME"],"http":null,\
                "backend":null,"fields":{},"retryable":false,"retryAfter":null}}

                """)
        #expect(result.stderr == "")
        #expect(result.exitCode == 3)
    }

    @Test(arguments: [
        (400, Exchange.sessionRevoked, "rejected", 4 as Int32),
        (500, #"{"code":1,"error":"x"}"#, "unknown", 9),
        (429, "", "unknown", 9),
        (404, "<html>", "unknown", 8),
    ])
    func `tells the state that the server's answer means`(
        status: Int, answer: String, state: String, exitCode: Int32
    ) {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.currentUser(status, answer))
        let result = world.run("whoami", "--json")
        #expect(result.stdout.contains(#""state":"\#(state)""#))
        #expect(result.exitCode == exitCode)
        #expect(world.sessions.current == .ada)
    }

    @Test func `has expired when the clock says so`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.now = .sampleEnd
        let result = world.run("whoami", "--offline")
        #expect(
            result.stdout
                == "ada was logged in (profile 'default', accounts on this machine); the session has expired\n")
        #expect(
            result.stderr == """
                authctl: error: the session has expired
                authctl: hint: log in again: authctl login

                """)
        #expect(result.exitCode == 4)
    }

    @Test func `says of a session that it is renewed, which has not expired`() {
        let world = TestContext()
        var session = Session.ada
        session.refreshToken = Secret("r1")
        world.sessions.put(.sample(session: session))
        world.now = .sampleEnd
        let result = world.run("whoami", "--offline")
        #expect(
            result.stdout == """
                ada (profile 'default', accounts on this machine), not checked
                e-mail:  ada@example.org
                session: until 2027-01-02T03:04:05Z, renewed by itself

                """)
        #expect(result.exitCode == 0)
    }

    @Test func `uses the environment's session, sent where it was meant for`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        world.server.expect(.currentUser(token: "env"))
        let result = world.run("whoami", "--json")
        #expect(result.stdout.contains(#""source":"environment""#))
        #expect(world.sessions.current == .ada)
    }

    @Test func `needs no place for files with a session from the environment`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_TOKEN_FILE": "/run/token", "AUTHCTL_BACKEND": "local"]
        world.files = ["/run/token": "env\r\n"]
        world.storageFailure = AuthError(.unreadable, "there is no place for files")
        let result = world.run("token")
        #expect(result.stdout == "env\n")
        #expect(result.exitCode == 0)
    }

    @Test(arguments: [
        (["AUTHCTL_TOKEN": "t"], "the session (from AUTHCTL_TOKEN) is for a server that nothing names"),
        (["AUTHCTL_TOKEN": "", "AUTHCTL_BACKEND": "local"], "the session from AUTHCTL_TOKEN is empty"),
        (
            ["AUTHCTL_TOKEN": "a b", "AUTHCTL_BACKEND": "local"],
            "the session from AUTHCTL_TOKEN holds characters that no token has"
        ),
        (
            ["AUTHCTL_TOKEN": "a\r\nX-Evil: 1", "AUTHCTL_BACKEND": "local"],
            "the session from AUTHCTL_TOKEN holds characters that no token has"
        ),
        (
            ["AUTHCTL_TOKEN_FILE": "/nowhere", "AUTHCTL_BACKEND": "local"],
            "no session: cannot read '/nowhere' (from AUTHCTL_TOKEN_FILE)"
        ),
        (
            ["AUTHCTL_SERVER": "https://a.example"],
            "server 'https://a.example' (from AUTHCTL_SERVER) does not go with backend 'local'"
        ),
    ])
    func `refuses an environment that makes no sense`(environment: [String: String], message: String) {
        let world = TestContext()
        world.environment = environment
        let result = world.run("whoami")
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == 2)
    }
}
