import CommandLineKit
import Testing

@Suite struct OverviewPageTests {
    private let page = OverviewPage(
        Sample.program.description,
        groups: [
            HelpTable(
                "ACCOUNT", [HelpRow("login", Sample.login.description.summary), HelpRow("logout", "Log out")]),
            HelpTable("SETUP", [HelpRow("profile set", Sample.set.description.summary)]),
        ],
        topics: [HelpRow("environment", "Environment variables")])

    @Test func `the help overview lists commands, global options and topics`() {
        let text = page.text()
        for line in [
            "ACCOUNT:", "  login        Log in and save the session", "  profile set  Change a profile",
            "  -p, --profile NAME  Use this profile. Environment: AUTHCTL_PROFILE.",
            "  environment  Environment variables",
        ] {
            #expect(text.contains("\n\(line)\n"))
        }
    }

    @Test func `the help page of a command group lists its commands`() {
        let group = CommandGroup("profile", summary: "Manage profiles", commands: [Sample.set.description])
        let text = GroupPage(group, program: Sample.program.description).text()
        #expect(text.contains("\nUsage: authctl profile COMMAND [OPTIONS] [ARGUMENTS]\n"))
        #expect(text.contains("\nCommands:\n  profile set  Change a profile\n"))
    }
}
