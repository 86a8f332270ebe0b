import CommandLineKit
import Expectations

@Suite struct OverviewPageTests {
    private let page = HelpPage.overview(
        Sample.program.description,
        groups: [
            ("ACCOUNT", [HelpRow("login", Sample.login.description.summary), HelpRow("logout", "Log out")]),
            ("SETUP", [HelpRow("profile set", Sample.set.description.summary)]),
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
        let group = (name: "profile", summary: "Manage profiles", commands: [Sample.set.description])
        let text = HelpPage.group(group, program: Sample.program.description).text()
        #expect(text.contains("\nUsage: authctl profile COMMAND [OPTIONS] [ARGUMENTS]\n"))
        #expect(text.contains("\nCommands:\n  profile set  Change a profile\n"))
    }
}

@Suite struct TextWrapTests {
    @Test(arguments: [
        ("", []),
        ("  one\n two ", ["one two"]),
        ("aaaaaaaaa bbbbbbbbbb", ["aaaaaaaaa bbbbbbbbbb"]),
        ("aaaaaaaaaa bbbbbbbbbb", ["aaaaaaaaaa", "bbbbbbbbbb"]),
        ("a bbbbbbbbbbbbbbbbbbbbbbbbb c", ["a", "bbbbbbbbbbbbbbbbbbbbbbbbb", "c"]),
    ])
    func `text is wrapped at spaces, and a width below 20 counts as 20`(text: String, lines: [String]) {
        expect(TextWrap(width: 20).lines(text), lines)
        expect(TextWrap(width: 3).lines(text), lines)
    }

    @Test func `the first line and the following lines of wrapped text have separate indents`() {
        #expect(
            TextWrap(width: 20).lines("aaaa bbbb cccc dddd", indent: 2, hanging: 6) == [
                "  aaaa bbbb cccc", "      dddd",
            ])
        expect(TextWrap(width: 20).lines("aaaa bbbb cccc dddd", indent: 2), ["  aaaa bbbb cccc", "  dddd"])
    }

    @Test func `paragraphs of wrapped text are separated by an empty line`() {
        expect(TextWrap().paragraphs("one\ntwo\n\n \nthree\n"), ["one two", "", "three"])
        #expect(TextWrap().paragraphs("").isEmpty)
    }
}
