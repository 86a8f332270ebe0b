import CommandTestSupport
import Testing

@testable import AuthctlCommands

/// The size of the help pages. The snapshots of the manual pages cover the text of the help pages.
@Suite struct HelpPageTests {
    @Test(arguments: CommandRegistry.all.map { $0.name })
    func `the help page of a command fits one screen of 40 lines, with few exceptions`(command: String) {
        let page = TestContext().run(words: ["help"] + command.split(separator: " ").map(String.init)).stdout
        let isLong = ["signup", "login", "link-facebook", "serve", "users create"].contains(command)
        #expect(isLong || page.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
    }

    @Test func `authctl without a command prints at most 12 lines`() {
        #expect(TestContext().run().stderr.split(separator: "\n", omittingEmptySubsequences: false).count <= 13)
    }
}
