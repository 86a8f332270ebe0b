import AuthBackends
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct PasswordResetCommandTests {
    @Test(arguments: [[], ["--json"]])
    func `a password reset does not report whether the e-mail address has an account`(words: [String]) {
        let world = TestContext()
        world.backends = .withSites(.resetPassword(.success(nil)))
        world.run(words: ["password", "reset", "ada@example.org"] + SignupCommandTests.site + words)
            .expectTranscript(in: "password-reset", words.formatName)
    }

    @Test func `a password reset escapes control characters in the e-mail address that it prints`() {
        let output = PasswordResetCommand.Output(
            profile: "ci", task: .mail("ada@example.org\u{1B}", holdsCode: false), hints: HintRenderer(profile: nil))
        #expect(output.text(.plain).contains(#"ada@example.org\u{1b}"#))
        #expect(!output.text(.plain).contains("\u{1B}"))
    }

    @Test(arguments: [[], ["--json"]])
    func `a password reset rejects a username in place of an e-mail address`(words: [String]) {
        let result = TestContext().run(words: ["password", "reset", "ada"] + words)
        result.expectTranscript(in: "password-reset", words.formatName)
    }

    @Test func `a password reset without an argument requires an e-mail address or a key`() {
        TestContext().run("password", "reset").expectTranscript(in: "password-reset")
    }

    // MARK: - Key

    private static let words = ["password", "reset"] + SignupCommandTests.site

    private func world(_ result: Result<LogInOutcome?, AuthError> = .success(nil)) -> TestContext {
        let world = TestContext()
        world.backends = .withSites(.finishReset(result))
        return world
    }

    @Test(arguments: [[], ["--json"]])
    func `a password reset with a key sets the new password`(words: [String]) {
        let world = world()
        world.files = ["/link": "https://app.example/reset/\n 1/t0ken-1/\n"]
        let result = world.run(
            words: Self.words + ["--key-file", "/link", "--password-stdin"] + words, stdin: "new password\n")
        #expect(!(result.stdout + result.stderr).contains("t0ken-1"))
        result.expectTranscript(in: "password-reset", words.formatName)
    }

    @Test func `a password reset reads the new password from AUTHCTL_NEW_PASSWORD, not from AUTHCTL_PASSWORD`() {
        let world = world()
        world.environment = ["AUTHCTL_NEW_PASSWORD": "new password", "AUTHCTL_PASSWORD": "old"]
        expect(world.run(words: Self.words + ["--key-stdin"], stdin: "0f3a\n").exitCode, 0)
        world.environment["AUTHCTL_NEW_PASSWORD"] = nil
        let result = world.run(words: Self.words + ["--key-stdin", "--no-input"], stdin: "0f3a\n")
        result.expectTranscript(in: "password-reset")
    }

    @Test func `a password reset prompts twice for the new password`() {
        let world = world()
        world.isInputTerminal = true
        world.terminal.answer(.hidden("new password"), .hidden("new password"))
        expect(world.run(words: Self.words + ["--key", "0f3a"]).exitCode, 0)
    }

    @Test func `a password reset saves the session that the server returns`() {
        let new = NewSession(user: User(username: "ada"), session: Session(token: Secret("s1")))
        let world = world(.success(.session(new)))
        let result = world.run(
            words: Self.words + ["--key-file", "-", "--new-password-file", "/new"], stdin: "0f3a")
        expect(result.exitCode, 2)
        world.files = ["/new": "new password"]
        let saved = world.run(words: Self.words + ["--key-stdin", "--new-password-file", "/new"], stdin: "0f3a")
        saved.expectTranscript(in: "password-reset")
        expect(world.sessions["default"]?.session.token.reveal(), "s1")
    }

    @Test func `a password reset with an unknown key suggests requesting a new e-mail`() {
        let world = world(.failure(AuthError(.notFound, "the key is unknown, used or expired")))
        let result = world.run(words: Self.words + ["--key", "0f3a", "--password-stdin"], stdin: "new password")
        result.expectTranscript(in: "password-reset")
    }

    @Test(arguments: [
        ["--key-file", "-", "--password-stdin"], ["--key-stdin", "--password-stdin"], ["--password-stdin", "a@b.c"],
        ["--key", "https://ada:pw-1@app.example/1/2"], ["--key", ""], ["--key", "a\u{1B}b"],
    ])
    func `a password reset rejects invalid keys and conflicting options before any request`(words: [String]) {
        let world = TestContext()
        world.backends = .withSites()
        let result = world.run(words: Self.words + words)
        expect(result.exitCode, 2)
        #expect(!result.stderr.contains("pw-1"))
    }

    @Test(arguments: [8192, 8193])
    func `a password reset rejects a key longer than 8 KiB`(count: Int) {
        let world = count > 8192 ? TestContext() : world()
        if count > 8192 { world.backends = .withSites() }
        world.environment = ["AUTHCTL_NEW_PASSWORD": "new password"]
        let result = world.run(words: Self.words + ["--key-stdin"], stdin: String(repeating: "a", count: count))
        expect(result.exitCode, (count > 8192 ? 2 : 0))
    }
}
