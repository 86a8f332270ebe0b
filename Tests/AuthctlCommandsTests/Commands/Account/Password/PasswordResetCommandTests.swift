import AuthBackends
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct PasswordResetCommandTests {
    @Test(arguments: [[], ["--json"]])
    func `a password reset does not reveal whether the address has an account`(words: [String]) {
        let world = TestContext()
        world.backends = .withSites(.resetPassword(.success(())))
        world.run(words: ["password", "reset", "ada@example.org"] + SignupCommandTests.site + words)
            .expectTranscript(in: "password-reset", words.formatName)
    }

    @Test func `a password reset shows control characters of the address escaped`() {
        let output = PasswordResetCommand.Output(profile: "ci", email: "ada@example.org\u{1B}")
        #expect(output.text(.plain).contains(#"ada@example.org\u{1b}"#))
        #expect(!output.text(.plain).contains("\u{1B}"))
    }

    @Test(arguments: [[], ["--json"]])
    func `a password reset rejects a username in place of an address`(words: [String]) {
        let result = TestContext().run(words: ["password", "reset", "ada"] + words)
        result.expectTranscript(in: "password-reset", words.formatName)
        #expect(result.exitCode == 7)
    }

    @Test func `a password reset requires an address`() {
        let result = TestContext().run("password", "reset")
        result.expectTranscript(in: "password-reset")
        #expect(result.exitCode == 2)
    }
}
