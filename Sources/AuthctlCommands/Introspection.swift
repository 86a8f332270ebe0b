import AuthModel
import CommandLineKit
import JSON

/// The declarations of commands as JSON, for scripts that would otherwise parse help pages.
///
/// The shape follows the draft UAPI.18 "CLI introspection": uapi-group/specifications, `specs/cli_introspection.md` at
/// commit 0954939. Keys that begin with `x-authctl.` are not in the draft.
enum Introspection {
    /// Describes the program as a command whose `arguments` contain the global options and the other commands.
    ///
    /// - Parameter subject: a command or group to which the document is limited; empty for all commands.
    /// - Returns: `nil` if the subject is neither a command nor a group.
    static func document(on subject: String) -> JSONValue? {
        let commands = CommandRegistry.all.map { $0.description }
            .filter { subject.isEmpty || $0.name == subject || $0.name.hasPrefix("\(subject) ") }
        guard !commands.isEmpty else { return nil }
        let program = GlobalOptions.spec.description
        return [
            "mediaType": "application/vnd.uapi-group.cli-introspection",
            "commands": [
                [
                    "type": "command", "id": .string(program.name), "names": JSONValue([program.name]),
                    "version": JSONValue([programVersion]), "help": .string(program.summary),
                    "arguments": .array(arguments(of: program) + objects(commands, in: program)),
                    "x-authctl.exitCodes": .array(
                        HelpTopics.exitCodeRows.map { ["code": .string($0.term), "help": .string($0.text)] }),
                    "x-authctl.environment": .array(variables(of: program)),
                ]
            ],
        ]
    }

    /// The objects of commands. Commands of two words are nested in an object for their first word.
    private static func objects(_ commands: [CommandDescription], in program: CommandDescription) -> [JSONValue] {
        var groups = CommandRegistry.commandGroups[...]
        return commands.compactMap { command in
            guard command.name.contains(" ") else { return object(command, in: program) }
            guard let index = groups.firstIndex(where: { command.name.hasPrefix("\($0.name) ") }) else { return nil }
            let group = groups.remove(at: index)
            let members = commands.filter { $0.name.hasPrefix("\(group.name) ") }
            return [
                "type": "command", "id": .string(group.name), "names": JSONValue([group.name]),
                "help": .string(group.summary), "arguments": .array(members.map { object($0, in: program) }),
                "x-authctl.default": JSONValue(
                    CommandRegistry.shortNames.first { $0.short == group.name }.map { lastWord(of: $0.full) }),
            ]
        }
    }

    private static func object(_ command: CommandDescription, in program: CommandDescription) -> JSONValue {
        let usage = command.usage(of: program)
        return [
            "type": "command", "id": .string(command.name), "names": JSONValue([lastWord(of: command.name)]),
            "help": .string(command.summary), "abstract": JSONValue(paragraphs(command.discussion)),
            "synopsis": JSONValue(usage.split(separator: " ").map(String.init)),
            "arguments": .array(arguments(of: command)),
            "x-authctl.exitCodes": .array(command.exitCodes.map { .integer(Int64($0)) }),
            "x-authctl.environment": .array(variables(of: command)),
            "x-authctl.examples": JSONValue(command.examples.map(\.commandLine)),
        ]
    }

    private static func lastWord(of name: String) -> String {
        name.split(separator: " ").last.map(String.init) ?? name
    }

    /// The paragraphs of the text, each as one line.
    private static func paragraphs(_ text: String) -> [String] {
        TextWrap(width: .max).paragraphs(text).filter { !$0.isEmpty }
    }

    private static func variables(of command: CommandDescription) -> [JSONValue] {
        command.variables.map { ["name": .string($0.term), "help": .string($0.text)] }
    }

    private static func arguments(of command: CommandDescription) -> [JSONValue] {
        command.arguments.compactMap { argument in
            object(argument, of: command).map { .object($0) }
        }
    }

    /// - Returns: `nil` for an option that authctl always rejects, such as `--password`.
    private static func object(_ argument: ArgumentDescription, of command: CommandDescription) -> JSONObject? {
        func spellings(_ names: [String]) -> JSONValue {
            JSONValue(command.arguments.filter { names.contains($0.name) }.map(\.spelling))
        }
        let values = values(of: argument)
        let id = "\(command.name).\(argument.name)"
        var object: JSONObject
        switch argument.kind {
        case .refused:
            return nil
        case .flag, .option:
            object = [
                "type": "option", "id": .string(id),
                "names": JSONValue((argument.short.map { ["-\($0)"] } ?? []) + [argument.spelling]),
                "value": argument.kind == .flag ? "no" : "yes",
            ]
        case .operand(let least, _):
            object = ["type": "argument", "id": .string(id), "isRequired": .bool(least > 0)]
        case .remainder(let isRequired):
            object = ["type": "argument", "id": .string(id), "isRequired": .bool(isRequired)]
        }
        if argument.kind != .flag {
            object["valueName"] = .string(argument.valueName)
            object["values"] = .array(values)
        }
        object["help"] = .string(argument.help)
        object["x-authctl.repeatable"] = .bool(argument.isRepeatable || argument.isList)
        object["x-authctl.default"] = JSONValue(argument.defaultText)
        object["x-authctl.environment"] = JSONValue(argument.environment)
        object["x-authctl.conflicts"] = spellings(command.rules.flatMap { $0.excluded(by: argument.name) })
        object["x-authctl.requires"] = .array(
            command.rules.compactMap { $0.required(by: argument.name) }.map {
                ["oneOf": spellings($0.oneOf), "with": spellings($0.with)]
            })
        return object
    }

    private static func values(of argument: ArgumentDescription) -> [JSONValue] {
        switch argument.completion {
        case .files: [["type": "value", "category": "file"]]
        case .folders: [["type": "value", "category": "dir"]]
        case .nothing, .words, .live, .commands, .commandLine:
            argument.choices.map { choice in
                ["type": "value", "value": .string(choice), "isDefault": .bool(choice == argument.defaultText)]
            }
        }
    }
}
