/// The first look at a command line: which command it means, found by name alone.
///
/// Global options may stand before the command's name, and between the two words of one. A name that also begins
/// longer names (`sessions`, `sessions revoke`) takes no operands, so that a second word is always a name.
package struct CommandLineHead: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        /// No command is named; `words` are global options.
        case program
        /// Help is wanted on commands that share a first word.
        case group(String)
        case command(String)
    }

    package let target: Target
    /// What is left to parse: options before the name, then all after it.
    package let words: [String]
    /// `--help` stands before the command's name; one behind it is found when the command's words are parsed.
    package let wantsHelp: Bool
    /// `--version` stands before the command's name.
    package let wantsVersion: Bool

    /// - Parameters:
    ///   - program: the program's name and global options.
    ///   - commands: the names of all commands, each one word or two.
    /// - Throws: `CommandLineError` if an option before the name is wrong, unless `--help` follows it: then, as the name
    ///   cannot be told from the option's value, the target is the program. Also if there is no such command.
    package init(
        _ words: [String], program: CommandDescription, commands: [String]
    ) throws(CommandLineError) {
        var scanner = CommandLineScanner(words[...], known: program.arguments + [.version], path: program.name)
        scanner.scanOptions()
        wantsVersion = scanner.assignments.contains { $0.index == program.arguments.count }
        if let error = scanner.firstError {
            guard scanner.wantsHelp || Self.asksForHelp(scanner.words) else { throw error }
            (target, self.words, wantsHelp) = (.program, [], true)
            return
        }

        wantsHelp = scanner.wantsHelp
        let leading = words.dropLast(scanner.words.count)
        guard let first = scanner.words.popFirst() else {
            (target, self.words) = (.program, Array(leading))
            return
        }
        let search = CommandSearch(program: program, commands: commands)
        let (target, rest) = try search.find(first, before: scanner.words, wantsHelp: wantsHelp)
        (self.target, self.words) = (target, leading + rest)
    }

    static func asksForHelp(_ words: ArraySlice<String>) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }
}

/// Finds a command by its name's first word and what follows.
private struct CommandSearch {
    let program: CommandDescription
    let commands: [String]

    func find(
        _ first: String, before rest: ArraySlice<String>, wantsHelp: Bool
    ) throws(CommandLineError) -> (CommandLineHead.Target, [String]) {
        let members = commands.filter { $0.hasPrefix("\(first) ") }
        if !members.isEmpty, let (second, others) = secondWord(in: rest) {
            let name = "\(first) \(second)"
            guard members.contains(name) else { throw unknown(name, among: members) }
            return (.command(name), others)
        }
        if commands.contains(first) { return (.command(first), Array(rest)) }
        if members.isEmpty { throw unknown(first, among: firstWords) }
        guard wantsHelp || CommandLineHead.asksForHelp(rest) else {
            throw .misuse("missing command after '\(first)'", path: "\(program.name) \(first)")
        }
        return (.group(first), [])
    }

    /// The next operand, and all words but it; nil if an option that is not global comes first.
    private func secondWord(in words: ArraySlice<String>) -> (String, [String])? {
        var scanner = CommandLineScanner(words, known: program.arguments, path: program.name)
        scanner.scanOptions()
        let options = words.dropLast(scanner.words.count)
        guard scanner.firstError == nil, let word = scanner.words.popFirst(), word != "--" else { return nil }
        return (word, Array(options + scanner.words))
    }

    private func unknown(_ name: String, among candidates: [String]) -> CommandLineError {
        let guess = Suggestions.question(for: name, among: candidates)
        return .misuse("unknown command '\(name)'", path: program.name, guess: guess)
    }

    private var firstWords: [String] {
        commands.reduce(into: []) { words, name in
            let word = String(name.prefix { $0 != " " })
            if !words.contains(word) { words.append(word) }
        }
    }
}
