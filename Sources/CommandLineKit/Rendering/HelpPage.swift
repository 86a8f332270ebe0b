package struct HelpPage: HelpDocument {
    private let command: CommandDescription
    private let program: CommandDescription
    private let specialExitCodes: [String]

    /// - Parameter specialExitCodes: the exit codes that only some commands can return, with short descriptions. The
    ///   page shows the codes that the command declares.
    package init(
        _ command: CommandDescription, program: CommandDescription, specialExitCodes: [(code: Int, words: String)]
    ) {
        self.command = command
        self.program = program
        self.specialExitCodes = specialExitCodes.filter { command.exitCodes.contains($0.code) }
            .map { "\($0.code) \($0.words)" }
    }

    package func blocks(_ layout: HelpLayout) -> [[String]] {
        declaration(layout) + [
            layout.section("Examples", layout.examples(command.examples)),
            // The help page omits long rules. The full page contains all rules.
            command.ruleSentences.filter { $0.count <= 80 }.flatMap { layout.wrap.lines($0) },
            layout.wrap.lines(exitCodes) + layout.wrap.lines(references),
        ]
    }

    /// The blocks up to the options.
    func declaration(_ layout: HelpLayout) -> [[String]] {
        let operands = command.arguments.filter { !$0.isOption }
        let options = command.arguments.filter(\.isOption)
        return [
            layout.wrap.lines(command.summary),
            layout.usage(usage),
            layout.wrap.paragraphs(command.discussion),
            layout.section("Arguments", layout.columns(operands.compactMap(\.helpRow))),
            command.table.map { layout.section($0.title, layout.columns($0.rows)) } ?? [],
            layout.section("Options", layout.columns(options.compactMap(\.helpRow))),
        ]
    }

    /// The usage line: "authctl login [OPTIONS] [USERNAME]".
    package var usage: String {
        (["\(program.name) \(command.name) [OPTIONS]"] + command.arguments.compactMap(\.usage)).joined(separator: " ")
    }

    private var exitCodes: String {
        specialExitCodes.isEmpty ? "" : "Exit codes: \(specialExitCodes.joined(separator: ", "))."
    }

    private var references: String {
        let name = program.name
        return "See '\(name) help', '\(name) help exit-codes', '\(name) help --full \(command.name)'."
    }
}

/// The help page of a command with everything that its manual page shows.
package struct FullHelpPage: HelpDocument {
    private let command: CommandDescription
    private let program: CommandDescription
    private let exitCodes: [HelpRow]
    /// The rows of the global options that the page explains.
    private let globals: [HelpRow]

    /// - Parameters:
    ///   - exitCodes: all exit codes of the program, with their meanings.
    ///   - globals: the names of the global options that the page explains.
    package init(
        _ command: CommandDescription, program: CommandDescription, exitCodes: [(code: Int, meaning: String)],
        globals: [String] = []
    ) {
        self.globals = program.arguments.filter { globals.contains($0.name) }.compactMap(\.helpRow)
        self.command = command
        self.program = program
        self.exitCodes = exitCodes.filter { command.exitCodes.isEmpty || command.exitCodes.contains($0.code) }
            .map { HelpRow("\($0.code)", $0.meaning) }
    }

    package func blocks(_ layout: HelpLayout) -> [[String]] {
        let examples = command.examples.flatMap { [HelpTopic.Block.paragraph($0.explanation), .code($0.commandLine)] }
        let rest = HelpTopic(
            command.name, summary: "", opening: command.ruleSentences.map { .paragraph($0) },
            sections: [
                HelpTopic.Section("Exit codes", [.rows(exitCodes)]),
                HelpTopic.Section("Environment", [.rows(command.environmentRows)]),
                HelpTopic.Section("Notes", command.notes), HelpTopic.Section("Examples", examples),
            ])
        let declaration = HelpPage(command, program: program, specialExitCodes: []).declaration(layout)
        let connection = layout.section("Global options for the connection", layout.columns(globals))
        return declaration + [connection] + TopicPage(rest).blocks(layout)
    }
}
