import AuthModel
import CommandLineKit
import JSON

/// The declarations as JSON, for scripts that would otherwise parse help pages.
///
/// The shape follows the draft UAPI.18 "CLI introspection", uapi-group/specifications, pull request 223, as of
/// 11 September 2026. Keys that the draft lacks begin with `x-authctl.`.
enum Introspection {
    /// - Parameter subject: a command or a group of commands; empty for the program.
    /// - Returns: `nil` for other words.
    static func document(on subject: String) -> JSONValue? {
        let commands = CommandRegistry.all.filter { $0.name == subject || $0.name.hasPrefix("\(subject) ") }
        guard subject.isEmpty || !commands.isEmpty else { return nil }
        let program = GlobalOptions.spec.description
        let list = subject.isEmpty ? [object(program, names: [program.name])] : []
        return [
            "mediaType": "application/vnd.uapi-group.cli-introspection-0",
            "commands": .array(
                list
                    + (subject.isEmpty ? CommandRegistry.all : commands).map { command in
                        object(command.description, names: [command.name] + shortNames(of: command.name))
                    }),
            "x-authctl.exitCodes": .array(
                HelpPages.exitCodes.map { ["code": .integer(Int64($0.code)), "help": .string($0.meaning)] }),
        ]
    }

    private static func shortNames(of name: String) -> [String] {
        CommandRegistry.shortNames.filter { $0.full == name }.map(\.short)
    }

    private static func object(_ command: CommandDescription, names: [String]) -> JSONValue {
        [
            "names": JSONValue(names), "help": .string(command.summary), "abstract": .string(command.discussion),
            "options": .array(command.arguments.filter(isShown).map { object($0, of: command) }),
            "x-authctl.exitCodes": .array(command.exitCodes.map { .integer(Int64($0)) }),
            "x-authctl.examples": JSONValue(command.examples.map(\.commandLine)),
        ]
    }

    private static func isShown(_ argument: ArgumentDescription) -> Bool {
        if case .refused = argument.kind { false } else { true }
    }

    private static func object(_ argument: ArgumentDescription, of command: CommandDescription) -> JSONValue {
        /// The spellings of other arguments.
        func names(_ others: (OptionRule) -> [String]) -> JSONValue {
            let others = command.rules.flatMap(others)
            return JSONValue(
                command.arguments.filter { others.contains($0.name) }.compactMap { spellings(of: $0).last })
        }
        return [
            "names": JSONValue(spellings(of: argument)),
            "argument": JSONValue(placeholder(of: argument)), "help": .string(argument.help),
            "conflicts": names { $0.excluded(by: argument.name) },
            "values": .array(argument.choices.map { ["names": JSONValue([$0])] }),
            "x-authctl.required": .bool(isRequired(argument)),
            "x-authctl.repeatable": .bool(argument.isRepeatable),
            "x-authctl.requires": names { $0.required(by: argument.name) },
            "x-authctl.default": JSONValue(argument.defaultText),
            "x-authctl.environment": JSONValue(argument.environment),
        ]
    }

    private static func spellings(of argument: ArgumentDescription) -> [String] {
        guard argument.isOption else { return [argument.name] }
        return (argument.short.map { ["-\($0)"] } ?? []) + ["--\(argument.name)"]
    }

    private static func placeholder(of argument: ArgumentDescription) -> String? {
        switch argument.kind {
        case .option(let value): value ?? argument.choices.joined(separator: "|")
        case .flag, .operand, .remainder, .refused: nil
        }
    }

    private static func isRequired(_ argument: ArgumentDescription) -> Bool {
        switch argument.kind {
        case .operand(let least, _): least > 0
        case .remainder(let isRequired): isRequired
        case .flag, .option, .refused: false
        }
    }
}
