/// The help of a word that begins several commands' names and is none itself: `authctl profile --help`.
package struct GroupPage: Sendable {
    private let name: String
    private let commands: [HelpRow]
    private let program: CommandDescription

    /// - Parameter commands: full name and summary of each.
    package init(_ name: String, commands: [HelpRow], program: CommandDescription) {
        self.name = name
        self.commands = commands
        self.program = program
    }

    /// The page, ending in a line feed.
    package func text(width: Int = 80, style: HelpStyle = .plain) -> String {
        let layout = HelpLayout(width: width, style: style)
        return HelpLayout.page([
            layout.usage("\(program.name) \(name) COMMAND [OPTIONS] [ARGUMENTS]"),
            layout.section("COMMANDS", layout.columns(commands)),
            layout.wrap.lines("See '\(program.name) help \(name) COMMAND' for more."),
        ])
    }
}
