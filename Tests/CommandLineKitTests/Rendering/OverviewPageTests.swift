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
                Usage: authctl [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]

                Keep accounts and sessions

                ACCOUNT
                  login        Start a session and keep it
                  logout       End the session

                SETUP
                  profile set  Change a profile

                GLOBAL OPTIONS
                  -p, --profile NAME  Use this profile. Environment: AUTHCTL_PROFILE.
                  --output text|json  How results are printed. Default: text.
                  --json              The same as `--output json`.
                  --style STYLE       How to draw. One of text, json.
                  --timeout SECONDS   Give up after so long. Default: 30. Environment:
                                      AUTHCTL_TIMEOUT.
                  -q, --quiet         Print no notes. Environment: AUTHCTL_QUIET.
                  -v, --verbose       Trace what is sent.
                  --version           Print the version and exit.
                  -h, --help          Show help and exit.

                HELP TOPICS
                  environment  The variables that are read

                See 'authctl help COMMAND' and 'authctl help TOPIC' for more.

                """)
    }

    @Test func `is short for who began with nothing`() {
        #expect(
            page.shortText() == """
                Usage: authctl [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]

                ACCOUNT
                  login        Start a session and keep it
                  logout       End the session

                SETUP
                  profile set  Change a profile

                See 'authctl help' for more.

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
