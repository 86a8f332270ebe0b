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
                "pending":null,"filled":null,"warnings":[]}

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
                authctl: hint: create an account: authctl signup ada
                authctl: hint: reset the password: authctl password reset ADDRESS

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
                "hint":"create an account: authctl signup ada","hints":["create an account: authctl signup ada",\
                "reset the password: authctl password reset ADDRESS"],"http":404,\
                "backend":{"code":101,"message":"Invalid username/password."},"fields":{},"retryable":false,\
                "retryAfter":null},"warnings":[]}

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

    @Test(arguments: [["--token-stdin"], ["--token-file", "/run/token"], ["--token-file", "-"]])
    func `keeps the session of a token with its user and its times`(words: [String]) {
        let world = TestContext()
        world.files = ["/run/token": "\(Exchange.adaToken)\n"]
        world.server.expect(.currentUser(), .currentSession())
        let result = world.run(words: ["login"] + words, stdin: "\(Exchange.adaToken)\r\n")
        #expect(result.stdout == "logged in as ada (profile 'default', accounts on this machine)\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current?.session.token == Session.ada.token)
        #expect(world.sessions.current?.session.id == "Xk2LmN3oPq")
        #expect(world.sessions.current?.session.expiresAt != nil)
        #expect(world.sessions.current?.user.email == "ada@example.org")
    }

    @Test func `keeps the old session when the server refuses a token`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.currentUser(token: "r:bad", 400, Exchange.sessionRevoked))
        let result = world.run("login", "--token-stdin", "--json", stdin: "r:bad")
        #expect(result.stdout == "")
        #expect(
            result.stderr.hasPrefix(
                #"{"v":1,"kind":"error","error":{"code":"rejected","exit":4,"reason":"token-refused","#))
        #expect(!result.stderr.contains("r:bad"))
        #expect(result.exitCode == 4)
        #expect(world.sessions.current == .ada)
    }

    @Test(arguments: [
        ("", "is empty"), ("\n", "is empty"), ("r:a b", "holds characters that no token has"),
        ("r:a\nr:b\n", "holds characters that no token has"), ("r:\u{E4}", "holds characters that no token has"),
        ("r:a\0", "holds a NUL character"),
    ])
    func `sends nothing that is no token`(input: String, fault: String) {
        let result = TestContext().run("login", "--token-stdin", stdin: input)
        #expect(result.stderr == "authctl: error: the session from standard input \(fault)\n")
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ["--token-stdin", "--token-file", "x"], ["ada", "--token-stdin"], ["--token-file", "x", "--password-stdin"],
        ["--anonymous", "ada"], ["--anonymous", "--token-stdin"], ["--anonymous", "--password-file", "x"],
    ])
    func `takes one way only`(words: [String]) {
        let result = TestContext().run(words: ["login"] + words)
        #expect(result.stderr.hasPrefix("authctl: error: there is more than one way to log in in this command\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `makes an account for somebody without a name, and warns of losing it`() {
        let identity = String(repeating: "07", count: 16)
        for (words, stderr) in [
            ([], "authctl: warning: whoever loses this session loses the account: it has no password\n"),
            (["--json"], ""),
        ] {
            let world = TestContext()
            world.server.expect(
                .signUp(#"{"authData":{"anonymous":{"id":"\#(identity)"}}}"#),
                .currentUser(
                    200, #"{"objectId":"g7y9tkhB7O","username":"x7","authData":{"anonymous":{"id":"\#(identity)"}}}"#),
                .currentSession())
            let result = world.run(words: ["login", "--anonymous"] + words)
            #expect(result.stderr == stderr)
            #expect(result.exitCode == 0)
            #expect(!result.stdout.contains(identity))
            #expect(world.sessions.current?.user.providers == ["anonymous"])
            guard !words.isEmpty else { continue }
            #expect(result.stdout.contains(#""created":true,"user":{"id":"g7y9tkhB7O","username":"x7","#))
            #expect(result.stdout.contains(#""providers":["anonymous"],"fields":{}"#))
            #expect(
                result.stdout.hasSuffix(
                    #""warnings":["whoever loses this session loses the account: it has no password"]}"# + "\n"))
        }
    }

    @Test func `says that a server makes no accounts without a name`() {
        let world = TestContext()
        world.server.expect(
            .signUp(
                #"{"authData":{"anonymous":{"id":"\#(String(repeating: "07", count: 16))"}}}"#, 400,
                #"{"code":252,"error":"This authentication method is unsupported."}"#))
        let result = world.run("login", "--anonymous")
        #expect(result.stderr.hasPrefix("authctl: error: cannot log in anonymously: "))
        #expect(result.exitCode == 10)
        #expect(world.sessions.current == nil)
    }

    @Test func `shows nothing of what a name could do to a terminal`() {
        let world = TestContext()
        world.server.expect(
            .logIn(
                "a@b.example", "correct horse", 200,
                #"{"sessionToken":"r:1","username":"\u001b[31mada\u202e\n","email":"a@b.example"}"#),
            .currentSession(token: "r:1"))
        let result = world.run("login", "a@b.example", "--password-stdin", stdin: "correct horse")
        #expect(result.stdout.hasPrefix(#"logged in as \u{1b}[31mada\u{202e}\u{a} ("#))
    }
}
