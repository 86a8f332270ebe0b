import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

/// `signup` where accounts have a user name, an e-mail or both.
@Suite struct AccountNamingTests {
    static let site = ["--backend", "site", "--server", "https://a.example"]
    static let made = FakeBackend.Step.signUp(.success(.session(NewSession(user: .ada, session: .ada))))

    let world = TestContext()
    let journal = Journal()

    init() {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
    }

    private func signUp(_ words: [String], _ script: FakeBackend.Step? = nil) -> TestContext.Result {
        world.backends = script.map { .withSites($0, journal: journal) } ?? .withSites(journal: journal)
        return world.run(words: ["signup"] + words + Self.site)
    }

    private static let questions = ["User name (Enter for none): ", "E-mail (Enter for none): "]

    @Test(arguments: [
        (["ada"], "ada"), (["--email", "ada@example.org"], "ada@example.org"), (["ada", "--email", "x"], "ada"),
    ])
    func `takes one of both or both, and asks nobody where there is nobody`(words: [String], name: String) {
        #expect(signUp(words, Self.made).exitCode == 0)
        #expect(journal.lines.contains("backend: signUp \(name)"))
    }

    @Test(arguments: [
        (false, [] as [String], "standard input is no terminal"), (true, ["--no-input"], "--no-input is given"),
    ])
    func `names both ways where nobody can be asked`(isTerminal: Bool, words: [String], reason: String) {
        world.isInputTerminal = isTerminal
        let result = signUp(words)
        #expect(
            result.stderr == """
                authctl: error: a user name or an e-mail is missing, and nobody can be asked: \(reason)
                authctl: hint: give a user name as the argument USERNAME, an e-mail with --email ADDRESS, or both

                """)
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ([] as [String], ["ada", ""], "ada", questions),
        ([], ["", "ada@example.org"], "ada@example.org", questions),
        ([], ["ada", "ada@example.org"], "ada", questions),
        (["ada"], [""], "ada", [questions[1]]),
        (["--email", "ada@example.org"], [""], "ada@example.org", [questions[0]]),
        (["ada", "--email", "ada@example.org"], [], "ada", []),
    ])
    func `asks at a terminal for what is missing, in the open`(
        words: [String], answers: [String], name: String, questions: [String]
    ) {
        world.isInputTerminal = true
        for answer in answers { world.terminal.answer(.shown(answer)) }
        #expect(signUp(words, Self.made).exitCode == 0)
        #expect(journal.lines.contains("backend: signUp \(name)"))
        #expect(world.terminal.questions == questions)
    }

    @Test func `needs one of the two`() {
        world.isInputTerminal = true
        world.terminal.answer(.shown(""), .shown(""))
        let result = signUp([])
        #expect(result.stderr.hasPrefix("authctl: error: the account would have neither a user name nor an e-mail\n"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ([""], "the user name is empty"), (["--email", ""], "the e-mail is empty"),
        (["a\u{7}"], "user name 'a\\u{7}' holds a control character"),
        (["--email", "a\u{1B}@b.c"], "e-mail 'a\\u{1b}@b.c' holds a control character"),
    ])
    func `takes nothing that is empty or holds a control character`(words: [String], message: String) {
        let result = signUp(words)
        #expect(result.stderr == "authctl: error: \(message)\n")
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        (TerminalError.endOfInput, "the input ended before an e-mail was entered"),
        (.lineTooLong, "the e-mail is longer than a terminal takes"),
        (.notUTF8, "the e-mail from the terminal is not UTF-8"),
    ])
    func `fails when the terminal gives no answer`(error: TerminalError, message: String) {
        world.isInputTerminal = true
        world.terminal.answer(.fault(error))
        let result = signUp(["ada"])
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `goes on with what was given where the terminal is gone`() {
        world.isInputTerminal = true
        world.terminal.answer(.fault(.unavailable))
        #expect(signUp(["ada"], Self.made).exitCode == 0)
    }

    // MARK: - No session in the answer

    @Test func `says only that the account was made when logging in failed`() {
        world.backends = .withSites(
            .signUp(.success(.created(.ada))), .logIn(.failure(AuthError(.serverFault, "the server failed"))))
        let result = world.run(words: ["signup", "ada"] + Self.site)
        #expect(result.stdout == "created account ada (profile 'default', https://a.example)\n")
        #expect(
            result.stderr == "authctl: warning: the account was created, but logging in failed: the server failed; "
                + "log in: authctl login --backend site --server https://a.example ada\n")
        #expect(result.exitCode == 0)
    }

    @Test func `says so in JSON`() {
        world.backends = .withSites(
            .signUp(.success(.created(.ada))), .logIn(.failure(AuthError(.serverFault, "the server failed"))))
        let result = world.run(words: ["signup", "ada", "--json"] + Self.site)
        #expect(result.stdout.contains(#""created":true,"#))
        #expect(
            result.stdout.contains(
                #""session":null,"pending":null,"filled":null,"warnings":["the account was created, but logging in failed: "#
            ))
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test func `has logged in when the log-in after it brought a session`() {
        world.backends = .withSites(
            .signUp(.success(.created(.ada))), .logIn(.success(.session(NewSession(user: .ada, session: .ada)))))
        let result = world.run(words: ["signup", "ada"] + Self.site)
        #expect(result.stdout == "created account ada and logged in (profile 'default', https://a.example)\n")
        #expect(world.sessions.current?.session == .ada)
    }

    @Test func `warns of white space around a password, without it`() {
        world.environment = ["AUTHCTL_PASSWORD": " s3cret"]
        let result = signUp(["ada"], Self.made)
        #expect(
            result.stderr
                == "authctl: warning: the server strips the white space around this password: it is the same without\n")
    }
}
