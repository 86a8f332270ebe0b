/// The parsed options of a command; `init()` returns the defaults.
package protocol CommandOptions: Sendable, Equatable {
    init()
}

/// The declaration of a command: the only source for the parser, help pages, manual pages and completion.
///
/// `name` is one or two words typed after the program's name: `login`, `profile add`. A spec named after the program
/// declares the global options.
package struct CommandSpec<Options>: Sendable {
    package let description: CommandDescription
    let arguments: [Argument<Options>]

    /// - Parameters:
    ///   - discussion: paragraphs, separated by empty lines; made when help is shown, like the table and the notes.
    ///   - table: shown in help after the operands.
    ///   - exitCodes: the exit codes of the command; empty if the command can return all exit codes of the program.
    ///   - variables: environment variables that the command reads besides those of its options.
    ///   - notes: shown only on the manual page and by `help --full`.
    package init(
        _ name: String, summary: String, discussion: @autoclosure @escaping @Sendable () -> String = "",
        table: @autoclosure @escaping @Sendable () -> (title: String, rows: [HelpRow])? = nil,
        examples: [Example] = [], exitCodes: [Int] = [], variables: [HelpRow] = [],
        notes: @autoclosure @escaping @Sendable () -> [HelpTopic.Block] = [], arguments: [Argument<Options>] = [],
        rules: [OptionRule] = []
    ) {
        self.arguments = arguments
        description = CommandDescription(
            name: name, summary: summary, makeDiscussion: discussion, makeTable: table, examples: examples,
            exitCodes: exitCodes, variables: variables, makeNotes: notes,
            arguments: arguments.map { $0.description }, rules: rules)
    }
}

/// The declaration of a command, independent of the type of its options.
package struct CommandDescription: Sendable {
    package let name: String
    package let summary: String
    fileprivate let makeDiscussion: @Sendable () -> String
    fileprivate let makeTable: @Sendable () -> (title: String, rows: [HelpRow])?
    package let examples: [Example]
    package let exitCodes: [Int]
    package let variables: [HelpRow]
    fileprivate let makeNotes: @Sendable () -> [HelpTopic.Block]
    package let arguments: [ArgumentDescription]
    package let rules: [OptionRule]

    package var discussion: String { makeDiscussion() }
    package var table: (title: String, rows: [HelpRow])? { makeTable() }
    package var notes: [HelpTopic.Block] { makeNotes() }
    package var ruleSentences: [String] { rules.map { $0.sentence(arguments) } }

    /// The environment variables of the options, then the others that the command reads.
    package var environmentRows: [HelpRow] {
        arguments.filter(\.isVisibleOption).flatMap { option in
            option.environment.map { HelpRow($0, "Same as `\(option.spelling)`.") }
        } + variables
    }
}

/// A command line to copy, and a sentence that explains it.
package struct Example: Sendable, Equatable {
    package let commandLine: String
    package let explanation: String

    package init(_ commandLine: String, _ explanation: String) {
        self.commandLine = commandLine
        self.explanation = explanation
    }
}

/// Commands whose names share their first word, the name of the group, such as `profile add` and `profile list`.
package typealias CommandGroup = (name: String, summary: String, commands: [CommandDescription])
