/// The help page of a command.
///
/// Examples and exit codes, which are looked up most often, come before the options and fit on the first screen.
package struct HelpPage: Sendable {
    private let command: CommandDescription
    private let program: CommandDescription
    private let exitCodes: [HelpRow]

    /// - Parameter exitCodes: all codes of the program; a command with its own list shows only those.
    package init(_ command: CommandDescription, program: CommandDescription, exitCodes: [(code: Int, meaning: String)])
    {
        self.command = command
        self.program = program
        self.exitCodes =
            exitCodes
            .filter { command.exitCodes.isEmpty || command.exitCodes.contains($0.code) }
            .map { HelpRow(String($0.code), $0.meaning) }
    }

    /// The page, with a trailing newline.
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

    /// Only the names; the program's page explains them.
    private var globalOptions: String {
        let names = (program.arguments.filter(\.isVisibleOption) + [.help]).map(\.spelling)
        return "\(names.joined(separator: ", ")): see '\(program.name) help'"
    }
}
