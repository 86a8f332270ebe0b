/// The help page of a group, the first word of several commands: `authctl profile --help`.
package struct GroupPage: Sendable {
    private let name: String
    private let commands: [HelpRow]
    private let program: CommandDescription

    /// - Parameter commands: the full name and the summary of each command.
    package init(_ name: String, commands: [HelpRow], program: CommandDescription) {
        self.name = name
        self.commands = commands
        self.program = program
    }

    /// The page, with a trailing newline.
    package func text(width: Int = 80, style: HelpStyle = .plain) -> String {
        let layout = HelpLayout(width: width, style: style)
        return HelpLayout.page([
            layout.usage("\(program.name) \(name) COMMAND [OPTIONS] [ARGUMENTS]"),
            layout.section("COMMANDS", layout.columns(commands)),
            layout.wrap.lines("See '\(program.name) help \(name) COMMAND' for more."),
        ])
    }
}
