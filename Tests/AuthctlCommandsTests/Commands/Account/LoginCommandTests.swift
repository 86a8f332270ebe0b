import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct LoginCommandTests {
    /// The terminal stub fails the test if it is asked.
    @Test(arguments: [["login"], ["login", "ada"], ["signup"], ["signup", "ada"]])
    func `a folder that cannot be written is reported before any prompt`(words: [String]) {
        for files in [World.StoredFiles.sessions, .localAccounts] {
            let world = TestContext()
            world.isInputTerminal = true
            world.unwritable[files] = AuthError(
                .notWritten, "cannot write '/.config': permission denied", next: "use another folder")
            let result = world.run(words: words)
            #expect(result.exitCode == 12)
            #expect(result.stderr.contains("cannot write '/.config'"))
            #expect(world.terminal.questions == [])
        }
    }

    @Test func `a login saves the session`() {
        let world = TestContext()
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "--password-stdin", stdin: "correct horse\n").expectTranscript(in: "login")
        #expect(world.sessions.current?.session.token == Session.ada.token)
    }

    @Test(arguments: [[], ["--json"]])
    func `a rejected login prints its error with the next steps`(words: [String]) {
        let world = TestContext()
        world.server.expect(.logIn("ada", "wrong", 404, #"{"code":101,"error":"Invalid username/password."}"#))
        world.run(words: ["login", "ada", "--password-stdin"] + words, stdin: "wrong\n")
            .expectTranscript(in: "login", words.isEmpty ? "text" : "JSON")
    }

    @Test(arguments: [[], ["--quiet"]])
    func `a login notes that it replaces a saved session`(words: [String]) {
        let world = TestContext()
        world.sessions.put(.sample(session: .sample("old")))
        world.server.expect(.logIn(), .currentSession())
        world.run(words: ["login", "ada", "--password-stdin"] + words, stdin: "correct horse")
            .expectTranscript(in: "login", words.isEmpty ? "by default" : "with --quiet")
    }

    @Test func `the JSON document of a login holds its warnings`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "--password-stdin", "--json", stdin: "correct horse").expectTranscript(in: "login")
    }

    @Test func `a login at a terminal asks for the username and the password`() {
        let world = TestContext()
        world.isInputTerminal = true
        world.terminal.answer(.shown("ada"), .hidden("correct horse"))
        world.server.expect(.logIn(), .currentSession())
        world.run("login").expectTranscript(in: "login")
    }

    @Test func `a login saves the session under the chosen profile`() {
        let world = TestContext()
        world.configuration.put(profiles: "ci")
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "-p", "ci", "--password-stdin", stdin: "correct horse").expectTranscript(in: "login")
        #expect(world.sessions["ci"] != nil)
        #expect(world.sessions.current == nil)
    }

    @Test(arguments: [["--token-stdin"], ["--token-file", "/run/token"], ["--token-file", "-"]])
    func `a login with a token saves its session, user and times`(words: [String]) {
        let world = TestContext()
        world.files = ["/run/token": "\(Exchange.adaToken)\n"]
        world.server.expect(.currentUser(), .currentSession())
        let result = world.run(words: ["login"] + words, stdin: "\(Exchange.adaToken)\r\n")
        #expect(result.stdout.contains(" ada "))
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current?.session.token == Session.ada.token)
        #expect(world.sessions.current?.session.id == "Xk2LmN3oPq")
        #expect(world.sessions.current?.session.expiresAt != nil)
        #expect(world.sessions.current?.user.email == "ada@example.org")
    }

    @Test(arguments: [
        ("", "nothing"), ("\n", "an empty line"), ("r:a b", "a space"), ("r:a\nr:b\n", "two lines"),
        ("r:\u{E4}", "a letter that is not ASCII"), ("r:a\0", "a NUL character"),
        (String(repeating: "x", count: 8193), "8193 bytes"),
    ])
    func `a malformed token is rejected before any request`(input: String, situation: String) {
        TestContext().run("login", "--token-stdin", stdin: input).expectErrors(in: "login", situation)
    }

    @Test func `a token may have 8192 bytes and a line ending`() {
        let token = String(repeating: "x", count: 8192)
        let world = TestContext()
        world.server.expect(.currentUser(token: token), .currentSession(token: token))
        #expect(world.run("login", "--token-stdin", stdin: token + "\r\n").exitCode == 0)
    }

    @Test(arguments: [
        ["login", "--token-stdin"], ["login", "--token-file", "-"], ["login", "--token-file", "/run/token"],
        ["login", "--facebook", "--token-stdin"], ["login", "--facebook", "--token-file", "/run/token"],
        ["login", "--facebook", "--id-token-stdin"], ["link-facebook", "--id-token-file", "/run/token"],
    ])
    func `each option rejects a token of more than 8192 bytes`(words: [String]) {
        let world = TestContext()
        let token = String(repeating: "x", count: 8193)
        world.files = ["/run/token": token]
        let result = world.run(words: words, stdin: token)
        #expect(result.stderr.contains("is longer than 8192 bytes"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [[], ["--json"]])
    func `an anonymous login warns that the account has no password`(words: [String]) {
        let identity = String(repeating: "07", count: 16)
        let world = TestContext()
        world.server.expect(
            .signUp(#"{"authData":{"anonymous":{"id":"\#(identity)"}}}"#),
            .currentUser(
                200, #"{"objectId":"g7y9tkhB7O","username":"x7","authData":{"anonymous":{"id":"\#(identity)"}}}"#),
            .currentSession())
        let result = world.run(words: ["login", "--anonymous"] + words)
        result.expectTranscript(in: "login", words.isEmpty ? "text" : "JSON")
        #expect(!result.stdout.contains(identity))
        #expect(world.sessions.current?.user.providers == ["anonymous"])
    }

    @Test func `an anonymous login fails on a server without anonymous users`() {
        let world = TestContext()
        world.server.expect(
            .signUp(
                #"{"authData":{"anonymous":{"id":"\#(String(repeating: "07", count: 16))"}}}"#, 400,
                #"{"code":252,"error":"This authentication method is unsupported."}"#))
        world.run("login", "--anonymous").expectTranscript(in: "login")
        #expect(world.sessions.current == nil)
    }

    @Test func `a username with control characters is shown escaped`() {
        let world = TestContext()
        world.server.expect(
            .logIn(
                "a@b.example", "correct horse", 200,
                #"{"sessionToken":"r:1","username":"\u001b[31mada\u202e\n","email":"a@b.example"}"#),
            .currentSession(token: "r:1"))
        world.run("login", "a@b.example", "--password-stdin", stdin: "correct horse").expectTranscript(in: "login")
    }
}
