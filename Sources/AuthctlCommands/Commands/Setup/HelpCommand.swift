package import AuthModel
package import CommandLineKit
package import JSON

/// Prints help on the program or one command.
package enum HelpCommand: Command {
    package struct Options: CommandOptions {
        package var words: [String] = []

        package init() {}
    }

    package static let name = "help"
    package static let heedsOutputVariable = false
    package static let spec = CommandSpec<Options>(
        name,
        summary: "Print help on authctl or one of its commands",
        examples: [
            Example("authctl help", "All commands and global options."),
            Example("authctl help sessions revoke", "One command."),
        ],
        exitCodes: [0, 2],
        arguments: [.positionals(\.words, "COMMAND", help: "The command, one word or two.")])

    package static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let subject = options.words.joined(separator: " ")
        guard let page = HelpPages(width: context.helpWidth).page(on: subject) else {
            let guess = Suggestions.question(for: subject, among: CommandRegistry.names)
            throw AuthError(
                .usage, "there is no help on '\(subject)'",
                hint: [guess, "see 'authctl help'"].compactMap(\.self).joined(separator: " "))
        }
        return Output(subject: subject, page: page)
    }

    package struct Output: CommandOutput {
        let subject: String
        let page: HelpPages.Page

        package func text(_ style: TextStyle) -> String { page.text(style.help) }

        package var json: JSONValue {
            [
                "v": 1, "kind": "help", "subject": subject.isEmpty ? nil : .string(subject),
                "text": .string(page.text(.plain)),
            ]
        }
    }
}
