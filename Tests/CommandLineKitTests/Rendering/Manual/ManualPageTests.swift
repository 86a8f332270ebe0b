import CommandLineKit
import ManualRendering
import TestSupport

/// Manual pages with characters that are special in roff.
@Suite struct ManualPageTests {
    struct Options: CommandOptions {
        var text = ""
    }

    private static let command = CommandSpec<Options>(
        "do it", summary: "Do \\it's ~ \"all\"",
        discussion: ".not a macro, but `--so-what -x` it is well-known.\n\n'Nor this.",
        examples: [Example("odd do it '\\n' ~/x", "Run.")], exitCodes: [0],
        arguments: [
            .option({ $0.text = $1 }, "so-what", short: "s", value: "FILE", help: "A file.", environment: ["SO_WHAT"]),
            .refused("secret", advice: "no"),
        ])

    private static let topic = HelpTopic(
        "form", summary: "The form", opening: [.paragraph("All."), .code("{\"a\": '-'}\n\n.b")],
        sections: [HelpTopic.Section("parts", [.rows([HelpRow("a-b", "The first.")])])])

    private let pages = Manual(
        program: CommandSpec<Options>("odd", summary: "Be odd").description,
        groups: [("ALL", [command.description])],
        commandGroups: [("do", "Do something", [command.description])],
        exitCodes: [(0, "done"), (1, "not")],
        parts: Manual.Parts(
            exitCodes: [HelpRow("0", "done")], environment: topic, files: [HelpRow("~/.odd", "All.")], notes: topic),
        topics: [topic], version: "1.0", date: "2026-01-02"
    ).pages

    @Test func `the program, each command, each command group and each topic have a manual page`() {
        expect(pages.map(\.fileName), ["odd.1", "odd-do-it.1", "odd-do.1", "odd-form.5"])
    }

    @Test func `a manual page escapes special characters`() {
        let page = pages[1].text
        #expect(page.contains("\n.TH ODD-DO-IT 1 2026-01-02 \"odd 1.0\"\n"))
        #expect(page.contains("\ndo \\eit\\(aqs \\(ti \\(dqall\\(dq\n"))
        #expect(page.contains("\n\\&.not a macro, but \\fB\\-\\-so\\-what\\fP \\fB\\-x\\fP it is well-known.\n"))
        #expect(page.contains("\n\\(aqNor this.\n"))
        #expect(page.contains("\n.TP\n\\fB\\-s\\fP, \\fB\\-\\-so\\-what\\fP \\fIFILE\\fP\nA file."))
        #expect(page.contains("\nodd do it \\(aq\\en\\(aq \\(ti/x\n"))
        #expect(!page.contains("secret"))
    }

    @Test(.enabled(if: Host.hasManual, "needs mandoc and man"))
    func `mandoc accepts manual pages and shows their text unchanged`() throws {
        let world = Sandbox()
        for page in pages {
            try world.write(page.text, to: "\(world.home)/\(page.fileName)")
            let lint = try world.runScript("mandoc -T lint \(page.fileName)")
            #expect(lint.everything.isEmpty, "\(lint.everything)")
        }
        let shown = try world.runScript("mandoc -T ascii odd-do-it.1 | col -b").stdout
        #expect(shown.contains("do \\it's ~ \"all\""))
        #expect(shown.contains(".not a macro, but --so-what -x it is well-known."))
        #expect(shown.contains("odd do it '\\n' ~/x"))
        let code = try world.runScript("mandoc -T ascii odd-form.5 | col -bx | grep -A 2 -F \"'-'\"").stdout
        expect(code.split(separator: "\n").map { $0.drop { $0 == " " } }, ["{\"a\": '-'}", ".b"])
    }

    @Test func `the help page of a topic contains the topic's code blocks and sections`() {
        #expect(
            HelpPage.topic(Self.topic).text().hasSuffix("\n    {\"a\": '-'}\n\n    .b\n\nparts:\n  a-b  The first.\n"))
    }
}
