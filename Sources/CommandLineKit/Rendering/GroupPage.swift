/// The help page of a command group, such as `authctl profile --help`.
package struct GroupPage: HelpDocument {
    private let group: CommandGroup
    private let program: CommandDescription

    package init(_ group: CommandGroup, program: CommandDescription) {
        self.group = group
        self.program = program
    }

    package func blocks(_ layout: HelpLayout) -> [[String]] {
        [
            layout.wrap.lines(group.summary),
            layout.usage("\(program.name) \(group.name) COMMAND [OPTIONS] [ARGUMENTS]"),
            layout.section("Commands", layout.columns(group.commands.map { HelpRow($0.name, $0.summary) })),
            layout.wrap.lines("See '\(program.name) help \(group.name) COMMAND' for one command."),
        ]
    }
}

/// Commands whose names share their first word, such as `profile add` and `profile list`.
package struct CommandGroup: Sendable {
    /// The first word of the commands' names.
    package let name: String
    package let summary: String
    package let commands: [CommandDescription]

    package init(_ name: String, summary: String, commands: [CommandDescription]) {
        self.name = name
        self.summary = summary
        self.commands = commands
    }
}
