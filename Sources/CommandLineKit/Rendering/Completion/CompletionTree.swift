/// The positions in the program's command lines, with the data that a shell needs for completion at each position.
package struct CompletionTree: Sendable {
    /// A position in a command line: before the command, after a group's name, after a command, or after a group's name
    /// that is an operand, as in `help profile`.
    struct Place: Sendable {
        /// The words before this place, separated by spaces; empty before the command.
        let path: String
        /// The possible next words with their descriptions.
        let words: [HelpRow]
        /// The options at this place, without the global options.
        let options: [ArgumentDescription]
        let operands: [ArgumentDescription]
        var rules: [OptionRule] = []
    }

    let program: String
    /// Options that are accepted everywhere.
    let options: [ArgumentDescription]
    /// The first place is before the command.
    let places: [Place]
    /// The subcommand that lists live values, one per line: `__complete` in `authctl __complete profiles`.
    let lister: String

    /// - Parameters:
    ///   - shortNames: groups whose name alone runs a command, each with the full name of this command.
    ///   - topics: help topics that are not commands.
    package init(
        program: CommandDescription, commands: [CommandDescription], shortNames: [(short: String, full: String)] = [],
        topics: [HelpRow] = [], lister: String
    ) {
        self.program = program.name
        self.lister = lister
        options = program.arguments.filter(\.isVisibleOption) + [.help]
        let names = NameWords(commands)
        let top = Place(path: "", words: names.first, options: [.version], operands: [])
        let groups = names.groups.map { word in
            let full = shortNames.first { $0.short == word }?.full
            let command = commands.first { $0.name == full }
            return Place(
                path: word, words: names.second(behind: word),
                options: command?.arguments.filter(\.isVisibleOption) ?? [], operands: [])
        }
        places = [top] + groups + commands.flatMap { Self.places(of: $0, names, topics) }
    }

    /// If a command takes command names as operands, the place after the command offers those names.
    private static func places(of command: CommandDescription, _ names: NameWords, _ topics: [HelpRow]) -> [Place] {
        let options = command.arguments.filter(\.isVisibleOption)
        guard command.arguments.contains(where: { $0.completion == .commands }) else {
            let operands = command.arguments.filter { !$0.isOption }
            return [Place(path: command.name, words: [], options: options, operands: operands, rules: command.rules)]
        }
        let subjects = Place(path: command.name, words: names.first + topics, options: options, operands: [])
        return [subjects]
            + names.groups.map { word in
                Place(
                    path: "\(command.name) \(word)", words: names.second(behind: word), options: options, operands: [])
            }
    }
}

private struct NameWords {
    private let commands: [CommandDescription]
    /// The first words of all command names with two words.
    let groups: [String]

    init(_ commands: [CommandDescription]) {
        self.commands = commands
        groups = commands.reduce(into: []) { groups, command in
            let (first, second) = Self.parts(command.name)
            if second != nil, !groups.contains(first) { groups.append(first) }
        }
    }

    var first: [HelpRow] {
        var seen: [String] = []
        return commands.compactMap { command in
            let word = Self.parts(command.name).first
            guard !seen.contains(word) else { return nil }
            seen.append(word)
            guard groups.contains(word) else { return HelpRow(word, command.summary) }
            return HelpRow(word, second(behind: word).map(\.term).joined(separator: ", "))
        }
    }

    func second(behind word: String) -> [HelpRow] {
        commands.compactMap { command in
            let (first, second) = Self.parts(command.name)
            return first == word ? second.map { HelpRow($0, command.summary) } : nil
        }
    }

    private static func parts(_ name: String) -> (first: String, second: String?) {
        let parts = name.split(separator: " " as Character)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }
}

extension CompletionTree {
    /// The text, quoted as one word for a POSIX shell.
    static func quoted(_ text: String) -> String {
        "'\(text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }

    /// The text with a backslash before each of the special characters.
    static func escaped(_ text: String, _ special: String) -> String {
        text.unicodeScalars.map { special.unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
