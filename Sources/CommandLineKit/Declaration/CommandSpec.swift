/// The plain data one command is asked with; `init()` gives what holds when nothing is said.
package protocol CommandOptions: Sendable, Equatable {
    init()
}

/// A command's declaration: the parser, the help and the audit all read this and nothing else.
///
/// `name` is what is typed after the program's name, one word or two: `login`, `profile add`. The options that all
/// commands share are a spec too, named after the program; its arguments are the global options.
package struct CommandSpec<Options>: Sendable {
    package let description: CommandDescription
    let arguments: [Argument<Options>]

    /// - Parameters:
    ///   - discussion: paragraphs, separated by an empty line.
    ///   - exitCodes: the codes of the command; none means all codes of the program.
    ///   - variables: environment variables that the command reads beside those of its options.
    package init(
        _ name: String, summary: String, discussion: String = "", examples: [Example] = [], exitCodes: [Int] = [],
        variables: [HelpRow] = [], arguments: [Argument<Options>] = []
    ) {
        self.arguments = arguments
        description = CommandDescription(
            name: name, summary: summary, discussion: discussion, examples: examples, exitCodes: exitCodes,
            variables: variables, arguments: arguments.map(\.description))
    }
}

/// What a declaration says, without the type it fills.
package struct CommandDescription: Sendable, Equatable {
    package let name: String
    package let summary: String
    package let discussion: String
    package let examples: [Example]
    package let exitCodes: [Int]
    package let variables: [HelpRow]
    package let arguments: [ArgumentDescription]
}

/// A command line to copy, and one sentence about it.
package struct Example: Sendable, Equatable {
    package let commandLine: String
    package let explanation: String

    package init(_ commandLine: String, _ explanation: String) {
        self.commandLine = commandLine
        self.explanation = explanation
    }
}
