import AuthBackends
import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// The prompt for the key in an e-mail that the server has just sent.
@Suite struct MailKeyPromptTests {
    private static let signup =
        ["signup", "ada", "--email", "ada@example.org", "--password-file", "/pw"] + SignupCommandTests.site
    private static let pending = Step.signUp(
        .success(.waits(Pending(.emailVerification, token: Secret("p1")), .ada)))
    private static let new = NewSession(user: .ada, session: Session(token: Secret("s1")))

    private func world(_ script: Step...) -> TestContext {
        let world = TestContext()
        (world.isInputTerminal, world.isOutputTerminal) = (true, true)
        world.environment = ["NO_COLOR": "1"]
        world.files = ["/pw": "correct horse"]
        let backend = FakeBackend(script)
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: .site, type: FakeBackend.self) { _, _ throws(AuthError) in backend }
        ])
        return world
    }

    @Test func `a pending signup is completed with the code that the user enters at the prompt`() {
        let world = world(Self.pending, .verify(.success(.session(Self.new))))
        world.terminal.answer(.hidden("MPDF-FRQW"))
        world.run(words: Self.signup).expectTranscript(in: "mail-key-prompt")
        expect(world.sessions.current?.session.token.reveal(), "s1")
    }

    @Test(arguments: ["https://a.example/verify/2/", "123456", "n"])
    func `a link or code pasted at the offer of an e-mail is used, and a refusal asks for it`(answer: String) throws {
        let world = world(Self.pending, .verify(.success(.session(Self.new))))
        let mail = ReceivedMail(
            recipient: "ada@example.org", subject: "Verify", link: "https://a.example/verify/1/",
            purpose: .verification)
        world.mails = [[], [mail]]
        world.environment["AUTHCTL_MAIL_DIR"] = "/mails"
        world.terminal.answer(.shown(answer))
        if answer == "n" { world.terminal.answer(.hidden("MPDF-FRQW")) }
        expect(world.run(words: Self.signup).exitCode, 0)
        expect(world.sessions.current?.session.token.reveal(), "s1")
    }

    @Test func `after verification, signup logs in by e-mail address if the site rejects a login by username`() {
        let wantsEmail = AuthError(.invalidFields, "the site identifies users by e-mail", fact: .wantsEmail)
        let world = world(
            Self.pending, .verify(.success(.done)), .logIn(.failure(wantsEmail)),
            .logIn(.success(.session(Self.new))))
        world.terminal.answer(.hidden("https://a.example/verify/MQ:1x/"))
        let result = world.run(words: Self.signup)
        #expect(result.stdout.hasSuffix("created account ada and logged in (profile 'default', https://a.example)\n"))
        expect(world.sessions.current?.session.token.reveal(), "s1")
    }

    @Test(arguments: [.hidden(""), .fault(.endOfInput), .fault(.unavailable)] as [StubTerminal.Answer])
    func `a signup stays pending if the user enters no code or link`(answer: StubTerminal.Answer) {
        let world = world(Self.pending)
        world.terminal.answer(answer)
        let result = world.run(words: Self.signup)
        expect(result.exitCode, 0)
        expect(result.stdout.split(separator: "\n").filter { $0.hasPrefix("created account") }.count, 1)
        expect(world.sessions.unfinishedInMemory.current?.session.token.reveal(), "p1")
    }

    @Test func `a wrong code at the signup prompt is an error with a hint to run verify-email`() {
        let world = world(Self.pending, .verify(.failure(AuthError(.wrongCode, "wrong or expired code"))))
        world.terminal.answer(.hidden("XXXX"))
        world.run(words: Self.signup).expectTranscript(in: "mail-key-prompt")
    }

    @Test func `a password reset prompts for the link and twice for the new password`() {
        let world = world(.resetPassword(.success(nil)), .finishReset(.success(nil)))
        world.terminal.answer(.hidden("https://a.example/1/t0ken/"), .hidden("new"), .hidden("new"))
        world.run(words: ["password", "reset", "ada@example.org"] + SignupCommandTests.site)
            .expectTranscript(in: "mail-key-prompt")
    }

    @Test func `verify-email prompts for the link after it has sent the e-mail`() {
        let world = world(.sendVerification(.success(true)), .verify(.success(.done)))
        world.terminal.answer(.hidden("https://a.example/verify/MQ:1x/"))
        world.run(words: ["verify-email", "--email", "ada@example.org"] + SignupCommandTests.site)
            .expectTranscript(in: "mail-key-prompt")
    }

    @Test(arguments: ["--json", "--quiet", "--no-input", "CI", "a pipe", "--no-login"])
    func `a signup prompts for no code or link if CI, a pipe or an option forbids a prompt`(reason: String) {
        let world = world(Self.pending)
        world.isOutputTerminal = reason != "a pipe"
        if reason == "CI" { world.environment["CI"] = "1" }
        let result = world.run(words: Self.signup + (reason.hasPrefix("--") ? [reason] : []))
        expect(result.exitCode, 0)
        expect(result.prompts, [])
    }
}
