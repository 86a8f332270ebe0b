import AuthModel
import CommandLineKit
import JSON

enum HelpCommand: Command {
    struct Options: CommandOptions {
        var words: [String] = []
        var isFull = false
    }

    static let name = "help"
    static let summary = "Show help for authctl, a command or a topic"
    static let usesProfile = false
    static let readsOutputVariable = false
    static let spec = declaration(
        examples: [
            Example("authctl help", "Show all commands and global options."),
            Example("authctl help sessions revoke", "Show help for one command."),
            Example("authctl help --full exec", "Show the whole manual page of a command."),
            Example("authctl help exit-codes", "Show a topic."),
            Example(
                #"authctl help login --json | jq -r '.. | select(.type? == "option") | .names[-1]'"#,
                "Print the global options and the options of login."),
        ],
        exitCodes: [0, 2],
        notes: .paragraphs(
            """
            With `--json`, help on the program or a command prints a machine-readable description: commands, options \
            with values and conflicts, arguments, exit codes and environment. The JSON format follows the draft \
            UAPI.18 "CLI introspection", which may still change: `specs/cli_introspection.md` in \
            uapi-group/specifications at commit 0954939. The prefix `x-authctl.` marks JSON keys outside UAPI.18.
            """),
        arguments: [
            .positionals({ $0.words.append($1) }, "COMMAND", help: "Command or topic.")
                .completed(by: .commands),
            .flag({ $0.isFull = $1 }, "full", help: "Show the whole manual page of a command, with its notes."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let subject = options.words.joined(separator: " ")
        guard let page = HelpPages.page(on: subject, isFull: options.isFull) else {
            let guess = Suggestions.question(
                for: subject, among: CommandRegistry.names + HelpTopics.names,
                meant: CommandRegistry.name(meantBy: options.words[...]))
            throw AuthError(
                .usage, "no help for '\(subject)'",
                nextSteps: [guess.map { NextStep($0) }, NextStep("list the commands", run: ["help"])].compactMap(\.self)
            )
        }
        return Output(subject: subject, page: page, width: context.helpWidth)
    }

    struct Output: CommandOutput {
        let subject: String
        let page: HelpPage
        let width: Int

        func text(_ style: TextStyle) -> String { page.text(width: width, marking: style.strong) }

        var json: JSONValue {
            Introspection.document(on: subject) ?? [
                "v": 1, "kind": "help", "subject": subject.isEmpty ? nil : .string(subject),
                "text": .string(page.text(width: width)),
            ]
        }
    }
}
