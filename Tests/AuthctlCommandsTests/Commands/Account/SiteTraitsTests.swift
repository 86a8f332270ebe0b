import AuthBackends
import AuthClient
import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

/// What is asked for where the server says what it takes.
@Suite struct SiteTraitsTests {
    static let made = FakeBackend.Step.signUp(.success(.session(NewSession(user: .ada, session: .ada))))
    static let logIn = FakeBackend.Step.logIn(.success(.session(NewSession(user: .ada, session: .ada))))
    static let siteWords = ["--backend", "site", "--server", "https://a.example"]

    let world = TestContext()
    let journal = Journal()

    init() {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.isInputTerminal = true
    }

    private func run(_ words: [String], _ script: FakeBackend.Step...) -> TestContext.Result {
        let backend = WaitingBackend(FakeBackend(script, journal: journal))
        world.backends = BackendRegistry([BackendRegistration(descriptor: .site) { _, _ throws(AuthError) in backend }])
        return world.run(words: words + Self.siteWords)
    }

    private static func site(name: Bool = true, email: Bool = true, isOpen: Bool = true) -> FakeBackend.Step {
        .site(
            .success(
                SiteTraits(takesUsername: name, takesEmail: email, isOpenForSignUp: isOpen, facebookAppID: nil)))
    }

    // MARK: - Sign-up

    @Test func `asks for the e-mail alone where people are known by it`() {
        world.terminal.answer(.shown("ada@example.org"))
        #expect(run(["signup"], Self.site(name: false), Self.made).exitCode == 0)
        #expect(world.terminal.questions == ["E-mail: "])
        #expect(journal.lines == ["backend: site", "backend: signUp ada@example.org"])
    }

    @Test func `sends a user name that was given all the same`() {
        world.terminal.answer(.shown("ada@example.org"))
        #expect(run(["signup", "ada"], Self.site(name: false), Self.made).exitCode == 0)
        #expect(world.terminal.questions == ["E-mail: "])
        #expect(journal.lines.last == "backend: signUp ada")
    }

    @Test(arguments: [true, false])
    func `asks for an e-mail, too, where people log in by their name: mails go there`(takesEmail: Bool) {
        world.terminal.answer(.shown("ada"), .shown(""))
        #expect(run(["signup"], Self.site(email: takesEmail), Self.made).exitCode == 0)
        #expect(world.terminal.questions == ["User name (Enter for none): ", "E-mail (Enter for none): "])
    }

    @Test func `asks nothing, not even a password, where the site is closed`() {
        world.environment = [:]
        let result = run(["signup"], Self.site(isOpen: false))
        #expect(result.stderr == "authctl: error: cannot create an account: the site is closed for sign-up\n")
        #expect(result.exitCode == 5)
        #expect(world.terminal.questions == [])
    }

    @Test func `needs an e-mail where nothing else will do`() {
        world.terminal.answer(.shown(""))
        #expect(run(["signup"], Self.site(name: false)).exitCode == 2)
    }

    @Test func `does not ask the site where nothing is missing`() {
        #expect(run(["signup", "ada", "--email", "ada@example.org"], Self.made).exitCode == 0)
        #expect(journal.lines == ["backend: signUp ada"])
    }

    @Test func `does not ask the site where nobody can be asked`() {
        world.isInputTerminal = false
        #expect(run(["signup", "--email", "ada@example.org"], Self.made).exitCode == 0)
        #expect(journal.lines == ["backend: signUp ada@example.org"])
    }

    @Test func `fails where the site cannot be asked`() {
        let result = run(["signup"], .site(.failure(AuthError(.connect, "connection refused"))))
        #expect(result.stderr.hasPrefix("authctl: error: cannot find out what the site takes: connection refused\n"))
        #expect(result.exitCode == 8)
    }

    // MARK: - Log-in

    @Test(arguments: [
        (true, true, "User name or e-mail: "), (true, false, "User name: "), (false, true, "E-mail: "),
        (false, false, "User name or e-mail: "),
    ])
    func `asks for what people are known by`(name: Bool, email: Bool, question: String) {
        world.terminal.answer(.shown("ada"))
        #expect(run(["login"], Self.site(name: name, email: email), Self.logIn).exitCode == 0)
        #expect(world.terminal.questions == [question])
        #expect(journal.lines.last == "backend: logIn ada")
    }

    @Test func `does not ask the site how a given name is called`() {
        #expect(run(["login", "ada"], Self.logIn).exitCode == 0)
        #expect(journal.lines == ["backend: logIn ada"])
    }

    @Test func `asks nobody where there is nobody`() {
        world.isInputTerminal = false
        let result = run(["login"])
        #expect(
            result.stderr == """
                authctl: error: a user name is missing, and nobody can be asked: standard input is no terminal
                authctl: hint: give it as the argument USERNAME

                """)
        #expect(result.exitCode == 2)
    }

    // MARK: - A mailed code

    @Test func `tells how to give the code, at the same server`() {
        let pending = Pending(.emailVerification, token: Secret("p1"), isCertain: false)
        let result = run(
            ["signup", "ada", "--email", "ada@example.org"], .signUp(.success(.pending(pending, .ada))))
        let options = "--backend site --server https://a.example"
        #expect(
            result.stdout == """
                if this address is new, a mail is on its way to ada@example.org
                Follow its link, then run: authctl login \(options)
                Or, if it holds a code, run: authctl verify-email \(options) --key CODE
                If it does not come, check the address, and look in the spam folder.

                """)
        #expect(result.exitCode == 0)
    }

    @Test func `says who is logged in by a code`() {
        let waiting = StoredSession.sample(
            connection: Connection(backend: "site", server: "https://a.example"), session: .sample("p1"))
        world.sessions.unfinishedInMemory.put(waiting)
        let logIn = NewSession(user: .ada, session: .ada)
        let result = run(["verify-email", "--key", "MPDF-FRQW"], .verifyEmailAs(.success(logIn)))
        #expect(result.stdout == "the address is verified; logged in as ada (profile 'default')\n")
        #expect(journal.lines == ["backend: verifyEmail MPDF-FRQW as pending p1"])
        #expect(world.sessions.current?.session == .ada)
    }
}
