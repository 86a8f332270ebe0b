/// The help page of the program.
package struct OverviewPage: Sendable {
    /// Commands under a common title, with name and summary.
    package struct Group: Sendable {
        package let title: String
        package let commands: [HelpRow]

        package init(_ title: String, _ commands: [HelpRow]) {
            self.title = title
            self.commands = commands
        }
    }

    private let program: CommandDescription
    private let groups: [Group]
    private let topics: [HelpRow]

    package init(_ program: CommandDescription, groups: [Group], topics: [HelpRow]) {
        self.program = program
        self.groups = groups
        self.topics = topics
    }

    /// The page, with a trailing newline.
    package func text(width: Int = 80, style: HelpStyle = .plain) -> String {
        let layout = HelpLayout(width: width, style: style)
        let options = program.arguments + [.version, .help]
        let opening = [
            layout.wrap.lines(program.summary),
            layout.usage(usage),
            layout.wrap.paragraphs(program.discussion),
        ]
        return HelpLayout.page(
            opening + commands(layout) + [
                layout.section("Global options", layout.columns(options.compactMap(\.helpRow))),
                layout.section("Examples", layout.examples(program.examples)),
                layout.section("Help topics", layout.columns(topics)),
                layout.wrap.lines(closing),
            ])
    }

    private var usage: String { "\(program.name) [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]" }

    private var closing: String {
        let topic = topics.isEmpty ? "" : " and '\(program.name) help TOPIC'"
        return "See '\(program.name) help COMMAND'\(topic) for details."
    }

    private func commands(_ layout: HelpLayout) -> [[String]] {
        let all = groups.flatMap(\.commands)
        return groups.map { layout.section($0.title, layout.columns($0.commands, neighbours: all)) }
    }
}
