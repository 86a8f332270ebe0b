/// The help of one command.
///
/// What is looked up most often, examples and exit codes, stands above the options, within a screen.
package struct HelpPage: Sendable {
    private let command: CommandDescription
    private let program: CommandDescription
    private let exitCodes: [HelpRow]

    /// - Parameter exitCodes: what the program's codes mean; a command that lists its own shows only those.
    package init(_ command: CommandDescription, program: CommandDescription, exitCodes: [(code: Int, meaning: String)])
    {
        self.command = command
        self.program = program
        self.exitCodes =
            exitCodes
            .filter { command.exitCodes.isEmpty || command.exitCodes.contains($0.code) }
            .map { HelpRow(String($0.code), $0.meaning) }
    }

    /// The page, ending in a line feed.
    package func text(width: Int = 80, style: HelpStyle = .plain) -> String {
        let layout = HelpLayout(width: width, style: style)
        let operands = command.arguments.filter { !$0.isOption }
        let options = command.arguments.filter(\.isOption)
        return HelpLayout.page([
            layout.usage(usage),
            layout.wrap.lines(command.summary),
            layout.wrap.paragraphs(command.discussion),
            layout.section("EXAMPLES", layout.examples(command.examples)),
            layout.section("EXIT CODES", layout.columns(exitCodes)),
            layout.section("ARGUMENTS", layout.columns(operands.compactMap(\.helpRow))),
            layout.section("OPTIONS", layout.columns(options.compactMap(\.helpRow))),
            layout.section("GLOBAL OPTIONS", layout.wrap.lines(globalOptions, indent: 2)),
        ])
    }

    /// "authctl login [OPTIONS] [USERNAME]".
    package var usage: String {
        (["\(program.name) \(command.name) [OPTIONS]"] + command.arguments.compactMap(\.usage)).joined(separator: " ")
    }

    /// The names alone: they are explained on the program's page.
    private var globalOptions: String {
        let names = (program.arguments.filter(\.isVisibleOption) + [.help]).map(\.spelling)
        return "\(names.joined(separator: ", ")): see '\(program.name) help'"
    }
}
