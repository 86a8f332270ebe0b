import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct UsersCreateCommandTests {
    @Test func `users create rejects the same file for --journal and --credentials`() {
        let result = TestContext().run(
            words: ["users", "create", "--count", "2", "--name", "ci-{n}", "--journal", "x", "--credentials", "x"])
        #expect(result.exitCode == 2)
        #expect(result.stderr == "authctl: error: --journal, --credentials and --tokens must name different files\n")
    }
}
