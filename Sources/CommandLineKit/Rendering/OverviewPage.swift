package struct OverviewPage: HelpDocument {
    private let program: CommandDescription
    /// The titled groups of commands, each command with its summary.
    private let groups: [HelpTable]
    private let topics: [HelpRow]

    package init(_ program: CommandDescription, groups: [HelpTable], topics: [HelpRow]) {
        self.program = program
        self.groups = groups
        self.topics = topics
    }

    package func blocks(_ layout: HelpLayout) -> [[String]] {
        let options = program.arguments + [.version, .help]
        return [
            layout.wrap.lines(program.summary),
            layout.usage("\(program.name) [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]"),
            layout.wrap.paragraphs(program.discussion),
            layout.section("Examples", layout.examples(program.examples)),
        ] + commands(layout) + [
            layout.section("Global options", layout.columns(options.compactMap(\.helpRow))),
            layout.section("Help topics", layout.columns(topics)),
            layout.wrap.lines(closing),
        ]
    }

    private var closing: String {
        let topic = topics.isEmpty ? "" : " and '\(program.name) help TOPIC'"
        return "See '\(program.name) help COMMAND'\(topic) for details."
    }

    private func commands(_ layout: HelpLayout) -> [[String]] {
        let all = groups.flatMap(\.rows)
        return groups.map { layout.section($0.title, layout.columns($0.rows, neighbours: all)) }
    }
}
