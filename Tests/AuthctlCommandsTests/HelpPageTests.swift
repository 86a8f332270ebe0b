import CommandTestSupport
import MessageSnapshots
import Testing

@testable import AuthctlCommands

/// The help pages in `Tests/Messages/help`.
@Suite struct HelpPageTests {
    @Test(arguments: CommandRegistry.all.map { $0.name })
    func `the help page of a command equals its snapshot`(command: String) {
        expectPage(command.split(separator: " ").map(String.init), in: "commands", command)
    }

    @Test(arguments: HelpTopics.names)
    func `a help topic equals its snapshot`(topic: String) {
        expectPage([topic], in: "topics", topic)
    }

    @Test(arguments: ["profile", "sessions", "password"])
    func `the help page of a command group equals its snapshot`(group: String) {
        expectPage([group], in: "groups", group)
    }

    @Test func `the list of commands equals its snapshot`() {
        expectPage([], in: "groups", "authctl help")
    }

    @Test(arguments: CommandRegistry.all.map { $0.name })
    func `the help page of a command fits one screen of 40 lines, with few exceptions`(command: String) {
        let page = TestContext().run(words: ["help"] + command.split(separator: " ").map(String.init)).stdout
        let isLong = ["signup", "login", "link-facebook", "serve"].contains(command)
        #expect(isLong || page.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
    }

    @Test func `authctl without a command prints at most 12 lines`() {
        #expect(TestContext().run().stderr.split(separator: "\n", omittingEmptySubsequences: false).count <= 13)
    }

    private func expectPage(_ words: [String], in file: String, _ situation: String) {
        MessageFile("help/" + file).expect(TestContext().run(words: ["help"] + words).stdout, situation)
    }
}
