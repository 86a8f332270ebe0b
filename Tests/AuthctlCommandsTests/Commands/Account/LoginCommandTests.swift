import CommandTestSupport

@testable import AuthctlCommands

@Suite struct LoginCommandTests {
    private let world = TestContext()

    @Test(arguments: [["login"], ["login", "ada"], ["signup"], ["signup", "ada"]])
    func `login and signup report an unwritable storage folder before any prompt`(words: [String]) {
        for files in [World.StoredFiles.sessions, .localAccounts] {
            let world = TestContext()
            world.isInputTerminal = true
            world.unwritable[files] = AuthError(
                .notWritten, "cannot write '/.config': permission denied", next: "use another folder")
            let result = world.run(words: words)
            expect(result.exitCode, 12)
            #expect(result.stderr.contains("cannot write '/.config'"))
            expect(world.terminal.questions, [])
        }
    }

    @Test func `a login saves the session`() {
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "--password-stdin", stdin: "correct horse\n").expectTranscript(in: "login")
        expect(world.sessions.current?.session.token, Session.ada.token)
    }

    @Test func `a rejected login with --json prints its error as a JSON document`() {
        world.server.expect(.logIn("ada", "wrong", 404, #"{"code":101,"error":"Invalid username/password."}"#))
        world.run("login", "ada", "--password-stdin", "--json", stdin: "wrong\n").expectTranscript(in: "login")
    }

    @Test func `a login with --json warns that it replaced the saved session`() {
        world.sessions.put(.sample(session: .sample("old"), user: User(id: "b0b", username: "bob")))
        world.server.expect(.logIn(), .currentSession())
        let result = world.run("login", "ada", "--password-stdin", "--json", stdin: "correct horse")
        #expect(result.stdout.contains(#""warnings":["replaced the saved session of 'bob' for local accounts"#))
    }

    @Test func `a login with --quiet prints neither its result nor the note about a replaced session`() {
        world.sessions.put(.sample(session: .sample("old"), user: User(id: "b0b", username: "bob")))
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "--password-stdin", "--quiet", stdin: "correct horse").expectTranscript(in: "login")
    }

    @Test func `the JSON document of a login contains the warning that other commands use AUTHCTL_TOKEN`() {
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "--password-stdin", "--json", stdin: "correct horse").expectTranscript(in: "login")
    }

    @Test func `a login at a terminal prompts for the username and the password`() {
        world.isInputTerminal = true
        world.terminal.answer(.shown("ada"), .hidden("correct horse"))
        world.server.expect(.logIn(), .currentSession())
        world.run("login").expectTranscript(in: "login")
    }

    @Test func `a login saves the session under the chosen profile`() {
        world.configuration.put(profiles: "ci")
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "-p", "ci", "--password-stdin", stdin: "correct horse").expectTranscript(in: "login")
        #expect(world.sessions["ci"] != nil)
        expect(world.sessions.current, nil)
    }

    @Test(arguments: [["--token-stdin"], ["--token-file", "/run/token"], ["--token-file", "-"]])
    func `a login with a token saves the session with its user, id and expiry time`(words: [String]) {
        world.files = ["/run/token": "\(Exchange.adaToken)\n"]
        world.server.expect(.currentUser(), .currentSession())
        let result = world.run(words: ["login"] + words, stdin: "\(Exchange.adaToken)\r\n")
        #expect(result.stdout.contains(" ada "))
        expect(result.stderr, "")
        expect(result.exitCode, 0)
        expect(world.sessions.current?.session.token, Session.ada.token)
        expect(world.sessions.current?.session.id, "Xk2LmN3oPq")
        #expect(world.sessions.current?.session.expiresAt != nil)
        expect(world.sessions.current?.user.email, "ada@example.org")
    }

    @Test(arguments: [("", "nothing"), ("r:a b", "a space"), ("Token abc", "a word before the token")])
    func `login rejects a malformed token before any request`(input: String, situation: String) {
        TestContext().run("login", "--token-stdin", stdin: input).expectErrors(in: "login", situation)
    }

    @Test func `login accepts a token of 65536 bytes followed by a line ending`() {
        let token = String(repeating: "x", count: 65536)
        world.server.expect(.currentUser(token: token), .currentSession(token: token))
        expect(world.run("login", "--token-stdin", stdin: token + "\r\n").exitCode, 0)
    }

    @Test(arguments: [
        ["login", "--token-stdin"], ["login", "--token-file", "-"], ["login", "--token-file", "/run/token"],
        ["login", "--facebook", "--token-stdin"], ["login", "--facebook", "--token-file", "/run/token"],
        ["login", "--facebook", "--id-token-stdin"], ["link-facebook", "--id-token-file", "/run/token"],
    ])
    func `login and link-facebook reject a token longer than 65536 bytes`(words: [String]) {
        let token = String(repeating: "x", count: 65_537)
        world.files = ["/run/token": token]
        let result = world.run(words: words, stdin: token)
        #expect(result.stderr.contains("is longer than 65536 bytes"))
        expect(result.exitCode, 2)
    }

    @Test(arguments: [[], ["--json"]])
    func `an anonymous login warns that the account has no password`(words: [String]) {
        let identity = String(repeating: "07", count: 16)
        world.server.expect(
            .signUp(
                #"{"authData":{"anonymous":{"id":"\#(identity)"}}}"#, 201,
                #"{"objectId":"g7y9tkhB7O","username":"x7","sessionToken":"\#(Exchange.adaToken)"}"#),
            .currentSession())
        let result = world.run(words: ["login", "--anonymous"] + words)
        result.expectTranscript(in: "login", words.isEmpty ? "text" : "JSON")
        #expect(!result.stdout.contains(identity))
        expect(world.sessions.current?.user.providers, ["anonymous"])
    }

    @Test func `login escapes control characters in the username that it prints`() {
        world.server.expect(
            .logIn(
                "a@b.example", "correct horse", 200,
                #"{"sessionToken":"r:1","username":"\u001b[31mada\u202e\n","email":"a@b.example"}"#),
            .currentSession(token: "r:1"))
        world.run("login", "a@b.example", "--password-stdin", stdin: "correct horse").expectTranscript(in: "login")
    }
}
