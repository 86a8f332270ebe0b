import AuthBackends
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct SignupCommandTests {
    private let world = TestContext()

    static let body = #"{"username":"ada","password":"correct horse"}"#
    static let site = ["--backend", "site", "--server", "https://a.example"]

    @Test func `a signup creates the account and logs in`() {
        world.server.expect(.signUp(Self.body), .currentSession())
        world.run("signup", "ada", "--password-stdin", stdin: "correct horse\n").expectTranscript(in: "signup")
        expect(world.sessions.current?.user.username, "ada")
    }

    @Test func `a signup with --json prints one JSON document`() {
        world.server.expect(
            .signUp(#"{"username":"ada","password":"correct horse","email":"ada@example.org"}"#), .currentSession())
        world.run(
            "signup", "ada", "--email", "ada@example.org", "--password-stdin", "--json", stdin: "correct horse"
        )
        .expectTranscript(in: "signup")
    }

    @Test func `the JSON document of a signup contains the warning about a readable password file`() {
        world.backends = .withSites(
            .signUp(
                .success(.session(NewSession(user: .ada, session: Session(token: Secret("s1")), createdAccount: true))))
        )
        world.files = ["/pw": "correct horse"]
        world.fileModes = ["/pw": 0o644]
        let result = world.run(words: ["signup", "ada", "--password-file", "/pw", "--json"] + Self.site)
        #expect(result.stdout.contains(#""warnings":["password file '/pw' is readable by other users"#))
    }

    @Test func `a signup with --if-not-exists logs in to an existing account`() {
        world.server.expect(
            .signUp(Self.body, 400, #"{"code":202,"error":"Account already exists for this username."}"#),
            .logIn(), .currentSession())
        world.run("signup", "ada", "--if-not-exists", "--password-stdin", "--json", stdin: "correct horse\n")
            .expectTranscript(in: "signup")
        expect(world.sessions.current?.user.username, "ada")
    }

    @Test func `a signup at a terminal prompts for the password until both entries match`() {
        world.isInputTerminal = true
        world.terminal.answer(
            .shown("ada"), .shown(""), .hidden("correct hors"), .hidden("correct horse"), .hidden("correct horse"),
            .hidden("correct horse"))
        world.server.expect(.signUp(Self.body), .currentSession())
        world.run("signup").expectTranscript(in: "signup")
        expect(world.terminal.questions.count, 6)
    }

    @Test func `a signup fails after three password confirmations that do not match`() {
        world.isInputTerminal = true
        for _ in 1...3 { world.terminal.answer(.hidden("one password"), .hidden("another password")) }
        world.run("signup", "ada", "--json").expectTranscript(in: "signup")
    }

    @Test func `a signup with --no-login keeps the saved session`() {
        world.sessions.put(.ada)
        let answer = #"{"objectId":"2","sessionToken":"r:new"}"#
        world.server.expect(
            .signUp(#"{"username":"eve","password":"correct horse"}"#, 201, answer), .currentSession(token: "r:new"),
            .logOut(token: "r:new"))
        world.run("signup", "eve", "--no-login", "--password-stdin", stdin: "correct horse")
            .expectTranscript(in: "signup")
        expect(world.sessions.current, .ada)
    }

    @Test func `a signup sends additional fields as text and as JSON`() {
        let body =
            #"{"city":"Köln=K","empty":"","age":36,"tags":["a",null],"nick":"x","username":"ada","#
            + #""password":"correct horse"}"#
        let stored =
            #"{"objectId":"1","username":"ada","city":"Köln=K","empty":"","age":36,"tags":["a",null],"nick":"x"}"#
        world.server.expect(.signUp(body), .currentSession(), .currentUser(200, stored))
        let result = world.run(
            "signup", "ada", "--field", "city=Köln=K", "--field-json", "age=36", "--field-json",
            #"tags=["a", null]"#,
            "--field", "empty=", "--field-json", #"nick="x""#, "--password-stdin", "--json",
            stdin: "correct horse")
        #expect(
            result.stdout.contains(#""fields":{"city":"Köln=K","empty":"","age":36,"tags":["a",null],"nick":"x"}"#))
        expect(result.exitCode, 0)
    }

    @Test func `a signup rejects malformed and reserved fields before any request`() {
        let lines = [
            ["--field", "x"], ["--field-json", "age"], ["--field", "email=a@b.c"], ["--field-json", "username=1"],
            ["--field", "a=1", "--field", "a=2"],
        ]
        TestContext().expectErrors(in: "signup", of: lines.map { ["signup", "ada"] + $0 })
    }

    @Test(arguments: [
        "authData", "objectId", "createdAt", "updatedAt", "sessionToken", "emailVerified", "_acl", "First Name", "a-b",
        "a.b", "1st", "größe",
    ])
    func `a signup on local accounts rejects a field that only the server sets, or that Parse drops`(name: String) {
        for words in [["signup", "ada"], ["users", "create", "--count", "1", "--name", "ada", "--dry-run"]] {
            let result = TestContext().run(words: words + ["--field", "\(name)=x"])
            #expect(result.stderr.hasPrefix("authctl: error: field '\(name)' ") && result.exitCode == 7)
        }
    }

    @Test func `a row with a field that Parse drops fails, even in a dry run`() {
        let world = TestContext()
        world.files["in"] = "username,password,First Name,a\nada,correct horse,Ada,1\nbob,correct horse,,1\n"
        let result = world.run("users", "create", "in", "--dry-run")
        #expect(result.exitCode == 11 && result.stdout.hasPrefix("1 valid, 1 failed"))
        #expect(result.stderr.contains("row 1 (line 2) 'ada': the First Name has an invalid name"))
    }

    @Test(arguments: ["old", "", "{", "[1,]", "1 2", #"{"a":1,"a":2}"#])
    func `a signup rejects a JSON field that is not JSON and suggests --field`(value: String) {
        let result = TestContext().run("signup", "ada", "--field-json", "age=\(value)")
        if value == "old" { result.expectErrors(in: "signup", "age=\(value)") }
        #expect(result.stderr.contains("--field age="))
        expect(result.exitCode, 2)
    }

    @Test func `a signup with --skip-checks sends a weak password`() {
        world.server.expect(.signUp(#"{"username":"a","password":"b"}"#), .currentSession())
        expect(world.run("signup", "a", "--skip-checks", "--password-stdin", stdin: "b").exitCode, 0)
    }

    // MARK: - No session in the response

    @Test func `a signup that requires e-mail verification shows the next steps`() {
        world.server.expect(
            .signUp(
                #"{"username":"ada","password":"correct horse","email":"ada@example.org"}"#, 201,
                #"{"objectId":"1"}"#))
        let result = world.run(
            "signup", "ada", "--email", "ada@example.org", "--password-stdin", stdin: "correct horse")
        result.expectTranscript(in: "signup")
        expect(world.sessions.current, nil)
    }

    @Test func `a pending signup without an e-mail address does not report that an e-mail was sent`() {
        world.server.expect(.signUp(Self.body, 201, #"{"objectId":"1"}"#))
        let result = world.run("signup", "ada", "--password-stdin", stdin: "correct horse")
        result.expectTranscript(in: "signup")
        #expect(!result.stdout.contains("sent"))
    }

    @Test func `a signup that requires an e-mailed code shows the verify-email command for the same server`() {
        let pending = Pending(.emailVerification, token: Secret("p1"), isCertain: false)
        let backend = WaitingBackend(FakeBackend([.signUp(.success(.waits(pending, .ada)))]))
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: .site, type: FakeBackend.self) { _, _ throws(AuthError) in backend }
        ])
        let result = world.run(
            words: ["signup", "ada", "--email", "ada@example.org", "--password-stdin"] + Self.site,
            stdin: "correct horse")
        result.expectTranscript(in: "signup")
        #expect(result.stdout.contains("authctl verify-email --backend site --server https://a.example --key-stdin"))
    }

    @Test func `a signup succeeds with a warning if the login that follows fails`() {
        world.backends = .withSites(
            .signUp(.success(.created(.ada))), .logIn(.failure(AuthError(.serverFault, "the server failed"))))
        world.run(words: ["signup", "ada", "--password-stdin", "--json"] + Self.site, stdin: "correct horse")
            .expectTranscript(in: "signup")
        expect(world.sessions.current, nil)
    }
}
