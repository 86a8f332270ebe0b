/// All that a shell must know of a program to complete its command lines, as places in them.
package struct CompletionTree: Sendable {
    /// Where one can be in a command line: before the command, behind the first word of several, behind a command.
    struct Place: Sendable {
        /// The words that lead there, parted by spaces; empty before the command.
        let path: String
        /// The words that lead on, and what is said about each.
        let words: [HelpRow]
        /// Those of the place, without the program's.
        let options: [ArgumentDescription]
        let operands: [ArgumentDescription]
    }

    let program: String
    /// Options that are understood everywhere.
    let options: [ArgumentDescription]
    /// The first is the place before the command.
    let places: [Place]
    /// The command that lists live values: `authctl __complete profiles`, a name a line.
    let lister: String

    /// - Parameters:
    ///   - shortNames: names that leave out their second word, and what they stand for.
    ///   - topics: what else there is help on.
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

    /// A command that takes the names of commands is completed as if they led on from it.
    private static func places(of command: CommandDescription, _ names: NameWords, _ topics: [HelpRow]) -> [Place] {
        let options = command.arguments.filter(\.isVisibleOption)
        guard command.arguments.contains(where: { $0.completion == .commands }) else {
            let operands = command.arguments.filter { !$0.isOption }
            return [Place(path: command.name, words: [], options: options, operands: operands)]
        }
        let subjects = Place(path: command.name, words: names.first + topics, options: options, operands: [])
        return [subjects]
            + names.groups.map { word in
                Place(
                    path: "\(command.name) \(word)", words: names.second(behind: word), options: options, operands: [])
            }
    }
}

/// The words that commands' names are made of.
private struct NameWords {
    private let commands: [CommandDescription]
    /// First words that several commands share.
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
    /// A text as one word of a POSIX shell.
    static func quoted(_ text: String) -> String {
        "'\(text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }

    /// A text with a backslash before each of these characters.
    static func escaped(_ text: String, _ special: String) -> String {
        text.unicodeScalars.map { special.unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
