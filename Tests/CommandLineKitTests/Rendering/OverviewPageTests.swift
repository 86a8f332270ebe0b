import CommandLineKit
import MessageSnapshots
import Testing

@Suite struct OverviewPageTests {
    private let page = OverviewPage(
        Sample.program.description,
        groups: [
            OverviewPage.Group(
                "ACCOUNT", [HelpRow("login", Sample.login.description.summary), HelpRow("logout", "Log out")]),
            OverviewPage.Group("SETUP", [HelpRow("profile set", Sample.set.description.summary)]),
        ],
        topics: [HelpRow("environment", "Environment variables")])

    @Test func `the overview lists commands, global options and topics`() {
        MessageFile("help-sample").expect(page.text())
    }

    @Test func `the page of a command group lists its commands`() {
        let group = CommandGroup("profile", summary: "Manage profiles", commands: [Sample.set.description])
        MessageFile("help-sample").expect(GroupPage(group, program: Sample.program.description).text())
    }
}
