import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct UsersCreateCommandTests {
    @Test(arguments: [
        (["--credentials", "x"], "--journal and --credentials"),
        (["--credentials", "./x"], "--journal and --credentials"),
        (["--credentials", "y", "--tokens", "y"], "--credentials and --tokens"),
    ])
    func `users create rejects one file for two options`(words: [String], options: String) {
        let result = TestContext().run(
            words: ["users", "create", "--count", "2", "--name", "ci-{n}", "--journal", "x"] + words)
        #expect(result.exitCode == 2)
        #expect(result.stderr == "authctl: error: \(options) must name different files\n")
    }

    @Test(
        arguments: [
            ("create", 0o644, nil),
            ("create", 0o622, "file of accounts 'in' is writable by other users; run: chmod go-w in"),
            ("login", 0o640, "credentials file 'in' is readable by other users; run: chmod go-rw in"),
        ] as [(String, UInt32, String?)])
    func `a file of passwords that other users can change or read is warned of`(
        command: String, mode: UInt32, warning: String?
    ) throws {
        let context = TestContext()
        context.files["in"] = "username\n"
        context.fileModes["in"] = mode
        context.linesFolder = try TestFolder()
        let words =
            command == "login" ? ["login", "--credentials", "in", "--tokens", "t"] : ["create", "in", "--dry-run"]
        let result = context.run(words: ["users"] + words)
        #expect(result.stderr == (warning.map { "authctl: warning: \($0)\n" } ?? ""))
    }
}
