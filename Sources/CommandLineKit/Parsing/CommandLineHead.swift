/// The command that a command line names. It is found before the command's options are parsed.
///
/// Global options may precede the command's name or separate its two words. A command whose name is also the first word
/// of other names (`sessions`, `sessions revoke`) takes no operands, so a second word is always part of a name.
package struct CommandLineHead: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        /// No command is named; `words` contains global options.
        case program
        /// Help for all commands with this first word.
        case group(String)
        case command(String)
    }

    package let target: Target
    /// The words that are left to parse: the options before the name, then everything after the name.
    package let words: [String]
    /// Whether `--help` precedes the command's name. A later `--help` is found when the command's words are parsed.
    package let wantsHelp: Bool
    /// Whether `--version` precedes the command's name.
    package let wantsVersion: Bool

    /// - Parameters:
    ///   - program: the program's name and global options.
    ///   - commands: the names of all commands, each one word or two.
    ///   - meaning: returns the command for words from other programs: `login` for `signin` or `auth login`.
    /// - Throws: `CommandLineError` if no command has the typed name, if the second word of the name is missing, or if
    ///   an option before the name is invalid. With `--help`, such an option is not an error. The target is then the
    ///   program, because the command's name may be the option's value.
    package init(
        _ words: [String], program: CommandDescription, commands: [String],
        meaning: (_ words: ArraySlice<String>) -> String? = { _ in nil }
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
        let search = CommandSearch(program: program, commands: commands, meant: meaning([first] + scanner.words))
        let (target, rest) = try search.find(first, before: scanner.words, wantsHelp: wantsHelp)
        (self.target, self.words) = (target, leading + rest)
    }

    static func asksForHelp(_ words: ArraySlice<String>) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }
}

/// Finds a command by its first word and the following words.
private struct CommandSearch {
    let program: CommandDescription
    let commands: [String]
    /// The command that corresponds to words from another program, such as `login` for `signin`; `nil` if none does.
    let meant: String?

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

    /// The next operand and all other words; `nil` if the words before `--` contain no operand, or if an option that is
    /// not global precedes the operand.
    private func secondWord(in words: ArraySlice<String>) -> (String, [String])? {
        var scanner = CommandLineScanner(words, known: program.arguments, path: program.name)
        scanner.scanOptions()
        let options = words.dropLast(scanner.words.count)
        guard scanner.firstError == nil, let word = scanner.words.popFirst(), word != "--" else { return nil }
        return (word, Array(options + scanner.words))
    }

    private func unknown(_ name: String, among candidates: [String]) -> CommandLineError {
        let guess = Suggestions.question(for: name, among: candidates, meant: meant)
        return .misuse("unknown command '\(name)'", path: program.name, guess: guess)
    }

    private var firstWords: [String] {
        commands.reduce(into: []) { words, name in
            let word = String(name.prefix { $0 != " " })
            if !words.contains(word) { words.append(word) }
        }
    }
}
