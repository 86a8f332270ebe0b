@testable import CommandLineKit

/// Checks the declarations of commands against the style rules.
struct SpecAudit {
    private let program: CommandDescription
    private let commands: [CommandDescription]

    init(program: CommandDescription, commands: [CommandDescription]) {
        self.program = program
        self.commands = commands
    }

    /// The violations, each with its command: "login: the summary ends with a full stop".
    var violations: [String] {
        let ofProgram = labelled(program, among: [.version, .help])
        return ofProgram + commands.flatMap { labelled($0, among: program.arguments + [.version, .help]) }
    }

    private func labelled(_ command: CommandDescription, among shared: [ArgumentDescription]) -> [String] {
        let violations =
            summaryComplaints(command) + exampleComplaints(command)
            + command.arguments.flatMap(argumentComplaints)
            + nameComplaints(command.arguments, among: shared)
            + mentionComplaints(command, options: command.arguments + shared)
            + ruleComplaints(command)
        return violations.map { "\(command.name): \($0)" }
    }

    private func summaryComplaints(_ command: CommandDescription) -> [String] {
        let summary = command.summary
        return Self.list([
            (!(summary.first?.isUppercase ?? false), "the summary does not begin with a capital letter"),
            (summary.count > 60, "the summary is longer than 60 columns"),
            (summary.hasSuffix("."), "the summary ends with a full stop"),
        ])
    }

    private func argumentComplaints(_ argument: ArgumentDescription) -> [String] {
        guard argument.helpRow != nil else { return [] }
        let spelling = argument.spelling
        let shouted = argument.environment.allSatisfy { name in
            name.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
        }
        return Self.list([
            (!argument.help.hasSuffix("."), "the help of '\(spelling)' does not end with a full stop"),
            (argument.isOption && argument.name.count < 2, "'-\(argument.name)' has no long name"),
            (!shouted, "a variable of '\(spelling)' is not in capitals"),
        ])
    }

    private func nameComplaints(_ own: [ArgumentDescription], among shared: [ArgumentDescription]) -> [String] {
        let names = (own + shared).map(\.spelling)
        let shorts = (own + shared).compactMap(\.short)
        let repeated = own.filter { argument in
            names.filter { $0 == argument.spelling }.count > 1
                || argument.short.map { short in shorts.filter { $0 == short }.count > 1 } ?? false
        }
        return repeated.map { "another argument has the name or the letter of '\($0.spelling)'" }
    }

    /// An option in backticks in the help text of a command must be an option of that command, of the command that
    /// precedes the option, or a global option.
    private func mentionComplaints(_ command: CommandDescription, options: [ArgumentDescription]) -> [String] {
        let notes = command.notes.flatMap { block in
            switch block {
            case .paragraph(let text), .paragraphs(let text): [text]
            case .rows(let rows): rows.map(\.text)
            case .code: [String]()
            }
        }
        let texts =
            [command.discussion] + notes + (command.table?.rows.map(\.text) ?? []) + command.arguments.map(\.help)
            + command.examples.map(\.explanation)
        return texts.flatMap { literals($0) }.flatMap { literal in
            let words = literal.split(separator: " ").map(String.init)
            let mentions = words.filter { $0.hasPrefix("-") && $0 != "-" && $0 != "--" }
                .map { String($0.prefix { $0 != "=" && $0 != "," }) }
            let called = words.drop { $0 == program.name }.prefix { !$0.hasPrefix("-") }.joined(separator: " ")
            let other = commands.last { called == $0.name || called.hasPrefix("\($0.name) ") }
            // The options of other programs.
            if !called.isEmpty, other == nil { return [String]() }
            let known = (other.map { $0.arguments + program.arguments } ?? options).filter(\.isVisibleOption)
            return mentions.filter { mention in
                !known.contains { mention == $0.spelling || mention == $0.short.map { "-\($0)" } }
            }
        }
        .map { "the text names '\($0)', which does not exist" }
    }

    private func ruleComplaints(_ command: CommandDescription) -> [String] {
        let names = command.rules.flatMap { rule in
            switch rule {
            case .exclusive(let groups): groups.flatMap(\.self)
            case .requires(let options, let others, let with): options + others + with
            }
        }
        return names.filter { name in !command.arguments.contains { $0.name == name } }
            .map { "a rule names '\($0)', which does not exist" }
    }

    /// The parts of a text in backticks.
    private func literals(_ text: String) -> [Substring] {
        let parts = text.split(separator: "`" as Character, omittingEmptySubsequences: false)
        return parts.indices.filter { !$0.isMultiple(of: 2) }.map { parts[$0] }
    }

    private static func list(_ findings: [(applies: Bool, complaint: String)]) -> [String] {
        findings.filter(\.applies).map(\.complaint)
    }
}

extension SpecAudit {
    private func exampleComplaints(_ command: CommandDescription) -> [String] {
        let isProgram = command.name == program.name
        guard isProgram || !command.examples.isEmpty else { return ["it has no example"] }
        return command.examples.compactMap { example in
            guard let words = ExampleWords.call(of: program.name, in: example.commandLine) else {
                return "the example '\(example.commandLine)' does not call \(program.name)"
            }
            return fault(in: words).map { "the example '\(example.commandLine)' is wrong: \($0)" }
        }
    }

    private func fault(in words: [String]) -> String? {
        do {
            let head = try CommandLineHead(words, program: program, commands: commands.map(\.name))
            guard let command = commands.first(where: { .command($0.name) == head.target }) else { return nil }
            var scanner = CommandLineScanner(
                head.words[...], known: command.arguments + program.arguments, rules: command.rules,
                path: command.name)
            try scanner.scan()
            return nil
        } catch {
            return error.message
        }
    }
}

/// Parses example command lines in help pages.
enum ExampleWords {
    /// Returns the arguments of the program's first call in the line; `nil` if the line does not call the program.
    ///
    /// Quotes around arguments are removed. A pipe, a redirection, `;`, `&` or the end of `$(...)` ends the call.
    static func call(of program: String, in line: String) -> [String]? {
        let start = line.indices.first { index in
            let before = line[..<index].last ?? " "
            let rest = line[index...]
            guard before == " " || before == "(", rest.hasPrefix(program) else { return false }
            let after = rest.dropFirst(program.count).first ?? " "
            return after == " " || endings.contains(after)
        }
        return start.map { words(line[$0...].dropFirst(program.count)) }
    }

    private static let endings: [Character] = ["|", "<", ">", ";", "&", ")"]

    private static func words(_ text: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            switch (character, quote) {
            case (quote, .some):
                quote = nil
            case (_, .some):
                word?.append(character)
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case (" ", nil):
                if let word { words.append(word) }
                word = nil
            case (_, nil) where endings.contains(character):
                // In `2>errors` the number is part of the redirection.
                if let word, !word.allSatisfy(\.isNumber) { words.append(word) }
                return words
            case (_, nil):
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
