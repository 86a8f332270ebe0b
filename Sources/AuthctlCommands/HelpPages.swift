import AuthModel
import CommandLineKit

/// Finds the help page on a subject.
enum HelpPages {
    /// - Parameters:
    ///   - subject: a command, a group or a topic; empty for the program.
    ///   - isFull: whether the page of a command shows everything that its manual page shows.
    static func page(on subject: String, isFull: Bool = false) -> HelpPage? {
        if subject.isEmpty {
            let groups = CommandRegistry.groups.map { ($0.title, $0.commands.map { HelpRow($0.name, $0.summary) }) }
            return .overview(program, groups: groups, topics: HelpTopics.rows)
        }
        if !CommandRegistry.shortNames.contains(where: { $0.short == subject }),
            let command = CommandRegistry.command(named: subject)
        {
            if isFull {
                return .full(
                    command.description, program: program, exitCodes: exitCodes,
                    globals: command.usesProfile || command.name == ProfileAddCommand.name
                        ? GlobalOptions.connection : [])
            }
            return .command(command.description, program: program, specialExitCodes: specialExitCodes)
        }
        if let topic = HelpTopics.topic(named: subject) { return .topic(topic) }
        return CommandRegistry.commandGroups.first { $0.name == subject }.map { .group($0, program: program) }
    }

    private static var program: CommandDescription { GlobalOptions.spec.description }

    /// The exit codes that the help pages of commands explain.
    private static let specialExitCodes = Outcome.allCases.compactMap { outcome in
        outcome.specialWords.map { (code: outcome.rawValue, words: $0) }
    }

    static let exitCodes =
        [(code: 0, meaning: "success, or nothing to do")]
        + Outcome.allCases.map { (code: $0.rawValue, meaning: $0.meaning) }
}

extension Context {
    /// The width of help pages: COLUMNS or the terminal's width, but at least 20 and at most 80, because longer lines
    /// are hard to read.
    var helpWidth: Int {
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? world.terminalWidth() ?? 80
        return min(max(columns, 20), 80)
    }
}
