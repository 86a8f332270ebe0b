import CommandLineKit
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct CommandRegistryTests {
    static let names = CommandRegistry.all.map { $0.name }

    @Test func `every command declaration follows the conventions that SpecAudit checks`() {
        let audit = SpecAudit(
            program: GlobalOptions.spec.description, commands: CommandRegistry.all.map { $0.description })
        expect(audit.violations, [])
    }

    @Test func `each command and its declaration have the same name`() {
        for command in CommandRegistry.all { expect(command.description.name, command.name) }
    }

    @Test(arguments: [
        ("signin ada", "login"), ("auth logout", "logout"), ("LOGIN", "login"), ("users remove", "users delete"),
        ("users new", "users create"), ("profile delete ci", "profile remove"), ("profile ls", "profile list"),
        ("sessions rm 1", "sessions revoke"),
    ])
    func `an unknown command suggests the authctl command with the same meaning`(line: String, command: String) {
        let result = TestContext().run(words: line.split(separator: " ").map(String.init))
        #expect(result.stderr.contains("hint: did you mean '\(command)'?"))
        expect(result.exitCode, 2)
    }

    @Test(arguments: names)
    func `the first 50 lines of a help page show an example`(name: String) {
        let words = name.split(separator: " ").map(String.init)
        let result = TestContext().run(words: words + ["--help"])
        let head = result.stdout.split(separator: "\n", omittingEmptySubsequences: false).prefix(50)
        #expect(head.contains { $0.contains("authctl \(name)") && $0.hasPrefix("  ") })
        expect(result.stderr, "")
        expect(result.exitCode, 0)
    }

    @Test(arguments: names)
    func `--help, -h and help show the same page`(name: String) {
        let words = name.split(separator: " ").map(String.init)
        let page = TestContext().run(words: words + ["--help"]).stdout
        #expect(!page.isEmpty)
        expect(TestContext().run(words: words + ["-h"]).stdout, page)
        expect(TestContext().run(words: ["help"] + words).stdout, page)
        expect(TestContext().run(words: ["--help"] + words).stdout, page)
    }

    @Test(arguments: names)
    func `help pages are at most 80 columns wide`(name: String) {
        let world = TestContext()
        for columns in [40, 80, 200] {
            world.environment = ["COLUMNS": "\(columns)"]
            let page = world.run(words: ["help"] + name.split(separator: " ").map(String.init)).stdout
            let widest = page.split(separator: "\n").map(\.count).max() ?? 0
            #expect(widest <= 80, "\(columns)")
        }
    }
}
