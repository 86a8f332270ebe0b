import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct LoginCommandTests {
    @Test func `logs in and keeps the session`() {
        let world = TestContext()
        world.server.expect(.logIn(), .currentSession())
        let result = world.run("login", "ada", "--password-stdin", stdin: "correct horse\n")
        #expect(result.stdout == "logged in as ada (profile 'default', accounts on this machine)\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current?.session.token == Session.ada.token)
    }

    @Test func `says it in JSON`() {
        let world = TestContext()
        world.server.expect(.logIn(), .currentSession())
        let result = world.run("login", "ada", "--password-stdin", "--json", stdin: "correct horse\n")
        #expect(
            result.stdout == """
                {"v":1,"kind":"login","profile":"default","backend":"local","server":null,"created":false,\
                "user":{"id":"g7y9tkhB7O","username":"ada","email":"ada@example.org","emailVerified":null,\
                "createdAt":"2026-01-02T03:04:05Z","providers":[],"fields":{}},\
                "session":{"id":"Xk2LmN3oPq","createdAt":"2026-01-02T03:04:05Z","expiresAt":"2027-01-02T03:04:05Z"},\
                "pending":null,"warnings":[]}

                """)
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test func `keeps the old session when the server refuses`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.logIn("ada", "wrong", 404, #"{"code":101,"error":"Invalid username/password."}"#))
        let result = world.run("login", "ada", "--password-stdin", stdin: "wrong\n")
        #expect(result.stdout == "")
        #expect(
            result.stderr == """
                authctl: error: cannot log in as 'ada': wrong user name or password
                authctl: hint: no account yet? make one: authctl signup ada

                """)
        #expect(result.exitCode == 4)
        #expect(world.sessions.current == .ada)
    }

    @Test func `says in JSON what the server refused`() {
        let world = TestContext()
        world.server.expect(.logIn("ada", "wrong", 404, #"{"code":101,"error":"Invalid username/password."}"#))
        let result = world.run("login", "ada", "--password-stdin", "--json", stdin: "wrong\n")
        #expect(result.stdout == "")
        #expect(
            result.stderr == """
                {"v":1,"kind":"error","error":{"code":"rejected","exit":4,"reason":"wrong-password",\
                "message":"cannot log in as 'ada': wrong user name or password",\
                "hint":"no account yet? make one: authctl signup ada","http":404,\
                "backend":{"code":101,"message":"Invalid username/password."},"fields":{},"retryable":false,\
                "retryAfter":null}}

                """)
        #expect(result.exitCode == 4)
    }

    @Test func `notes that the session kept before was replaced, unless it is to be quiet`() {
        for (words, note) in [
            ([], "authctl: note: the session kept before ('ada') was replaced; it was not ended at the server\n"),
            (["--quiet"], ""),
        ] {
            let world = TestContext()
            world.sessions.put(.sample(session: .sample("old")))
            world.server.expect(.logIn(), .currentSession())
            let result = world.run(words: ["login", "ada", "--password-stdin"] + words, stdin: "correct horse")
            #expect(result.stderr == note)
        }
    }

    @Test func `puts warnings into the document`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        world.server.expect(.logIn(), .currentSession())
        let result = world.run("login", "ada", "--password-stdin", "--json", stdin: "correct horse")
        #expect(
            result.stdout.hasSuffix(
                #""warnings":["the session (from AUTHCTL_TOKEN) outranks the stored one; "#
                    + "this command works on the stored one\"]}\n"))
        #expect(result.stderr == "")
    }

    @Test func `asks at the terminal for what is missing`() {
        let world = TestContext()
        world.isInputTerminal = true
        world.terminal.answer(.shown("ada"), .hidden("correct horse"))
        world.server.expect(.logIn(), .currentSession())
        #expect(world.run("login").exitCode == 0)
        #expect(world.terminal.questions == ["User name: ", "Password: "])
    }

    @Test func `takes the profile's place`() {
        let world = TestContext()
        world.configuration.put(profiles: "ci")
        world.server.expect(.logIn(), .currentSession())
        let result = world.run("login", "ada", "-p", "ci", "--password-stdin", stdin: "correct horse")
        #expect(result.stdout == "logged in as ada (profile 'ci', accounts on this machine)\n")
        #expect(world.sessions["ci"] != nil)
        #expect(world.sessions.current == nil)
    }

    @Test func `shows nothing of what a name could do to a terminal`() {
        let world = TestContext()
        world.server.expect(
            .logIn("ada", "correct horse", 200, #"{"sessionToken":"r:1","username":"\u001b[31mada\u202e\n"}"#),
            .currentSession(token: "r:1"))
        let result = world.run("login", "ada", "--password-stdin", stdin: "correct horse")
        #expect(result.stdout.hasPrefix(#"logged in as \u{1b}[31mada\u{202e}\u{a} ("#))
    }
}
