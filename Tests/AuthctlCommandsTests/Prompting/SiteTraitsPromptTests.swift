import AuthBackends
import AuthClient
import CommandTestSupport
import Platform
import Synchronization

@testable import AuthctlCommands

/// The prompts of `signup` and `login` if the site reports whether it accepts usernames, e-mail addresses or both.
@Suite struct SiteTraitsPromptTests {
    static let created = Step.signUp(
        .success(.session(NewSession(user: .ada, session: .ada, createdAccount: true))))
    static let loggedIn = Step.logIn(.success(.session(NewSession(user: .ada, session: .ada))))

    let world = TestContext()
    let journal = Journal()

    init() {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.isInputTerminal = true
    }

    private func run(_ words: [String], _ script: Step...) -> TestContext.Result {
        let backend = WaitingBackend(FakeBackend(script, journal: journal))
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: .site, type: FakeBackend.self) { _, _ throws(AuthError) in backend }
        ])
        return world.run(words: words + SignupCommandTests.site)
    }

    private static func site(name: Bool = true, email: Bool = true, isOpen: Bool = true) -> Step {
        .site(
            .success(
                SiteTraits(takesUsername: name, takesEmail: email, isOpenForSignUp: isOpen, providers: [])))
    }

    // MARK: - Signup

    @Test func `signup on a site without usernames prompts for the e-mail address but not for a username`() {
        world.terminal.answer(.shown("ada@example.org"))
        run(["signup"], Self.site(name: false), Self.created).expectTranscript(in: "signup")
        expect(journal.lines, ["backend: site", "backend: signUp ada@example.org"])
    }

    @Test(arguments: [true, false])
    func `signup prompts for an optional e-mail address on a site with usernames`(takesEmail: Bool) {
        world.terminal.answer(.shown("ada"), .shown(""))
        run(["signup"], Self.site(email: takesEmail), Self.created).expectTranscript(in: "signup")
    }

    @Test func `signup prints no prompt on a site that is closed to signups`() {
        world.environment = [:]
        run(["signup"], Self.site(isOpen: false)).expectTranscript(in: "signup")
        expect(world.terminal.questions, [])
    }

    @Test func `signup requires an e-mail address on a site without usernames`() {
        world.terminal.answer(.shown(""))
        run(["signup"], Self.site(name: false)).expectTranscript(in: "signup")
    }

    @Test func `signup does not query the site if username and e-mail address are given`() {
        expect(run(["signup", "ada", "--email", "ada@example.org"], Self.created).exitCode, 0)
        expect(journal.lines, ["backend: signUp ada"])
    }

    @Test(arguments: [
        (false, true, "nil ada@example.org"), (true, false, "ada@example.org nil"),
        (true, true, "ada@example.org ada@example.org"),
    ])
    func `signup sends a name with @ as the username, the e-mail address or both, whichever the site accepts`(
        takesUsername: Bool, takesEmail: Bool, names: String
    ) {
        for isTerminal in [true, false] {
            let journal = Journal()
            let backend = NamesBackend(
                FakeBackend([Self.site(name: takesUsername, email: takesEmail), Self.created], journal: journal))
            world.backends = BackendRegistry([
                BackendRegistration(descriptor: .site, type: FakeBackend.self) { _, _ throws(AuthError) in backend }
            ])
            world.isInputTerminal = isTerminal
            if isTerminal, !takesEmail { world.terminal.answer(.shown("")) }
            let result = world.run(words: ["signup", "ada@example.org"] + SignupCommandTests.site)
            expect(result.exitCode, 0)
            expect(backend.names.withLock { $0 }, [names])
            expect(result.prompts.count, (isTerminal && !takesEmail ? 1 : 0))
        }
    }

    @Test func `login on a site without usernames rejects an empty e-mail address at the prompt`() {
        world.terminal.answer(.shown(""))
        run(["login"], Self.site(name: false)).expectTranscript(in: "login")
    }

    @Test func `hints for a site that may identify users by e-mail do not contain the placeholder USERNAME`() {
        world.environment = [:]
        let result = run(["whoami"])
        result.expectTranscript(in: "whoami")
        #expect(!result.stderr.contains("USERNAME"))
        #expect(!run([]).stderr.contains("USERNAME"))
    }

    @Test func `signup fails if the site cannot be queried`() {
        run(["signup"], .site(.failure(AuthError(.connect, "connection refused")))).expectTranscript(in: "signup")
    }

    // MARK: - Login

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `the login prompt names what the site accepts: username, e-mail address or either`(name: Bool, email: Bool) {
        world.terminal.answer(.shown("ada"))
        let names = [name ? "username" : nil, email ? "e-mail address" : nil].compactMap { $0 }
        run(["login"], Self.site(name: name, email: email), Self.loggedIn)
            .expectTranscript(in: "login", names.joined(separator: " and "))
        expect(journal.lines.last, "backend: logIn ada")
    }

    @Test func `login with a username argument does not query the site`() {
        expect(run(["login", "ada"], Self.loggedIn).exitCode, 0)
        expect(journal.lines, ["backend: logIn ada"])
    }

    @Test func `login without a terminal requires a username`() {
        world.isInputTerminal = false
        run(["login"]).expectTranscript(in: "login")
    }
}

/// Records the username and the e-mail address of each signup.
private final class NamesBackend: ScriptedBackend, SiteDescribing {
    let inner: FakeBackend
    let names = Mutex<[String]>([])

    init(_ inner: FakeBackend) {
        self.inner = inner
    }

    var script: Script { inner.script }

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        names.withLock { $0.append("\(account.username ?? "nil") \(account.email ?? "nil")") }
        return try inner.signUp(account)
    }
}
