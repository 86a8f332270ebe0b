import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

/// The questions of `signup` where an account has a username, an e-mail address or both.
@Suite struct NewAccountPromptTests {
    static let created = FakeBackend.Step.signUp(.success(.session(NewSession(user: .ada, session: .ada))))

    let world = TestContext()
    let journal = Journal()

    init() {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
    }

    private func signUp(_ words: [String], _ script: FakeBackend.Step? = nil) -> TestContext.Result {
        world.backends = script.map { .withSites($0, journal: journal) } ?? .withSites(journal: journal)
        return world.run(words: ["signup"] + words + SignupCommandTests.site)
    }

    @Test(arguments: [
        (["ada"], "ada"), (["--email", "ada@example.org"], "ada@example.org"), (["ada", "--email", "x"], "ada"),
    ])
    func `signup without a terminal takes a username, an e-mail address or both`(words: [String], name: String) {
        #expect(signUp(words, Self.created).exitCode == 0)
        #expect(journal.lines.contains("backend: signUp \(name)"))
    }

    @Test(arguments: [(false, [] as [String]), (true, ["--no-input"])])
    func `signup without a terminal requires a username or an e-mail address`(isTerminal: Bool, words: [String]) {
        world.isInputTerminal = isTerminal
        signUp(words).expectErrors(in: "signup", isTerminal ? "--no-input" : "no terminal")
    }

    @Test(arguments: [
        ([] as [String], ["ada", ""], "ada", "a username is entered"),
        ([], ["", "ada@example.org"], "ada@example.org", "an e-mail address is entered"),
        ([], ["ada", "ada@example.org"], "ada", "both are entered"), (["ada"], [""], "ada", "a username is given"),
        (["--email", "ada@example.org"], [""], "ada@example.org", "an e-mail address is given"),
        (["ada", "--email", "ada@example.org"], [], "ada", "both are given"),
    ])
    func `signup at a terminal asks for a missing username and e-mail address`(
        words: [String], answers: [String], name: String, situation: String
    ) {
        world.isInputTerminal = true
        for answer in answers { world.terminal.answer(.shown(answer)) }
        signUp(words, Self.created).expectTranscript(in: "signup", situation)
        #expect(journal.lines.contains("backend: signUp \(name)"))
    }

    @Test func `signup at a terminal requires one of username and e-mail address`() {
        world.isInputTerminal = true
        world.terminal.answer(.shown(""), .shown(""))
        signUp([]).expectTranscript(in: "signup")
    }

    @Test(arguments: [
        ([""], "an empty username"), (["--email", ""], "an empty e-mail address"),
        (["a\u{7}"], "a control character in the username"),
        (["--email", "a\u{1B}@b.c"], "a control character in the e-mail address"),
    ])
    func `signup rejects empty names and control characters`(words: [String], situation: String) {
        signUp(words).expectErrors(in: "signup", situation)
    }

    @Test(arguments: [
        (TerminalError.endOfInput, "end of input"), (.lineTooLong, "a line too long"), (.notUTF8, "not UTF-8"),
    ])
    func `signup fails if the terminal gives no answer`(error: TerminalError, situation: String) {
        world.isInputTerminal = true
        world.terminal.answer(.fault(error))
        signUp(["ada"]).expectTranscript(in: "signup", situation)
    }

    @Test func `signup uses the given name if the terminal is gone`() {
        world.isInputTerminal = true
        world.terminal.answer(.fault(.unavailable))
        #expect(signUp(["ada"], Self.created).exitCode == 0)
        #expect(journal.lines.contains("backend: signUp ada"))
    }
}
