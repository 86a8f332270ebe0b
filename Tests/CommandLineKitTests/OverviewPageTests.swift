import CommandLineKit
import Testing

@Suite struct OverviewPageTests {
    private let page = OverviewPage(
        Sample.program.description,
        groups: [
            OverviewPage.Group(
                "ACCOUNT", [HelpRow("login", Sample.login.description.summary), HelpRow("logout", "End the session")]),
            OverviewPage.Group("SETUP", [HelpRow("profile set", Sample.set.description.summary)]),
        ],
        topics: [HelpRow("environment", "The variables that are read")])

    @Test func `explains the program`() {
        #expect(
            page.text() == """
                """)
    }

    @Test func `is short for who began with nothing`() {
        #expect(
            page.shortText() == """
                """)
    }

    @Test func `explains the commands behind a shared first word`() {
        let group = GroupPage(
            "profile", commands: [HelpRow("profile set", "Change a profile")], program: Sample.program.description)
        #expect(
            group.text() == """
                Usage: authctl profile COMMAND [OPTIONS] [ARGUMENTS]

                COMMANDS
                  profile set  Change a profile

                See 'authctl help profile COMMAND' for more.

                """)
    }
}
