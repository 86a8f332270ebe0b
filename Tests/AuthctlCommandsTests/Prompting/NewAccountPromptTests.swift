import CommandTestSupport
import Platform

@testable import AuthctlCommands

/// The prompts of `signup` for backends whose accounts have a username, an e-mail address or both.
@Suite struct NewAccountPromptTests {
    static let created = Step.signUp(
        .success(.session(NewSession(user: .ada, session: .ada, createdAccount: true))))

    let world = TestContext()
    let journal = Journal()

    init() {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
    }

    private func signUp(_ words: [String], _ script: Step? = nil) -> TestContext.Result {
        world.backends = script.map { .withSites($0, journal: journal) } ?? .withSites(journal: journal)
        return world.run(words: ["signup"] + words + SignupCommandTests.site)
    }

    @Test(arguments: [
        (["ada"], "ada"), (["--email", "ada@example.org"], "ada@example.org"), (["ada", "--email", "x"], "ada"),
    ])
    func `signup without a terminal accepts a username, an e-mail address or both`(words: [String], name: String) {
        expect(signUp(words, Self.created).exitCode, 0)
        #expect(journal.lines.contains("backend: signUp \(name)"))
    }

    @Test(arguments: [(false, [] as [String]), (true, ["--no-input"])])
    func `signup requires a username or an e-mail address if it cannot prompt`(isTerminal: Bool, words: [String]) {
        world.isInputTerminal = isTerminal
        signUp(words).expectErrors(in: "signup", isTerminal ? "--no-input" : "no terminal")
    }

    @Test(arguments: [
        ([] as [String], ["", "ada@example.org"], "ada@example.org", "an e-mail address is entered"),
        (["--email", "ada@example.org"], [""], "ada@example.org", "an e-mail address is given"),
    ])
    func `signup at a terminal prompts for a missing username and e-mail address`(
        words: [String], answers: [String], name: String, situation: String
    ) {
        world.isInputTerminal = true
        for answer in answers { world.terminal.answer(.shown(answer)) }
        signUp(words, Self.created).expectTranscript(in: "signup", situation)
        #expect(journal.lines.contains("backend: signUp \(name)"))
    }

    @Test func `signup fails if both the username and the e-mail address are left empty at the prompts`() {
        world.isInputTerminal = true
        world.terminal.answer(.shown(""), .shown(""))
        signUp([]).expectTranscript(in: "signup")
    }

    @Test func `signup rejects a username or e-mail address that is empty or contains a control character`() {
        world.backends = .withSites()
        let lines = [[""], ["--email", ""], ["a\u{7}"], ["--email", "a\u{1B}@b.c"]]
        world.expectErrors(in: "signup", of: lines.map { ["signup"] + $0 + SignupCommandTests.site })
    }

    @Test func `signup fails if the input ends at a prompt`() {
        world.isInputTerminal = true
        world.terminal.answer(.fault(.endOfInput))
        signUp(["ada"]).expectTranscript(in: "signup")
    }

    @Test func `signup with a username argument skips the e-mail prompt if no terminal is available`() {
        world.isInputTerminal = true
        world.terminal.answer(.fault(.unavailable))
        expect(signUp(["ada"], Self.created).exitCode, 0)
        #expect(journal.lines.contains("backend: signUp ada"))
    }
}
