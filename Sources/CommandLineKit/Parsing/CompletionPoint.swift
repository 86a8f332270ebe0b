/// The end of an unfinished command line, read by the parser's scanner: what the next word can be.
package struct CompletionPoint {
    /// The command's name as far as it precedes the cursor: ``, `profile`, `profile set`.
    package let name: String
    /// The operands before the cursor.
    package let operands: [String]
    private let scanner: CommandLineScanner
    private let rules: [OptionRule]

    /// Returns `nil` if no command has the typed name.
    ///
    /// - Parameters:
    ///   - words: the words before the cursor, without the program's name.
    ///   - isGroup: whether commands of two words begin with the word.
    ///   - command: returns the description of the command with a name.
    package init?(
        _ words: [String], program: CommandDescription, isGroup: (String) -> Bool,
        command: (String) -> CommandDescription?
    ) {
        var head = CommandLineScanner(words[...], known: program.arguments + [.version], path: program.name)
        head.scanOptions()
        var leading = words.dropLast(head.words.count)
        var name = head.words.popFirst() ?? ""
        var isKnown = name.isEmpty
        if isGroup(name) {
            isKnown = true
            let rest = head.words
            head.scanOptions()
            leading += rest.dropLast(head.words.count)
            if let second = head.words.popFirst() { (name, isKnown) = ("\(name) \(second)", false) }
        }
        let description = command(name)
        guard isKnown || description != nil else { return nil }
        let known = (description?.arguments ?? []) + program.arguments + (name.isEmpty ? [.version] : [])
        var scanner = CommandLineScanner((leading + head.words)[...], known: known, path: program.name)
        let operands = scanner.scanOperands()
        self.name = name
        self.operands = known.contains { $0.isRemainder } ? [] : operands + scanner.words
        self.scanner = scanner
        rules = description?.rules ?? []
    }

    package var isAfterDashes: Bool { scanner.hasDashes }

    /// The options that can follow: those that are not used yet or repeatable, and that no used argument excludes.
    package var options: [ArgumentDescription] {
        let known = scanner.known
        let used =
            scanner.assignments.map { known[$0.index].name }
            + known.filter { !$0.isOption }.prefix(operands.count).map(\.name)
        let excluded = rules.flatMap { rule in used.flatMap(rule.excluded) }
        return known.filter { option in
            option.isVisibleOption && !excluded.contains(option.name)
                && (option.isRepeatable || !used.contains(option.name))
        }
    }

    /// How the typed text is completed as the value of an option, and the text before the value, such as `--output=`;
    /// `nil` if the text is not the value of an option.
    package func value(_ typed: String) -> (completion: ValueCompletion, prefix: String)? {
        if let awaited = scanner.awaited, !typed.utf8.starts(with: "-".utf8) { return (awaited.completion, "") }
        guard !isAfterDashes, let end = typed.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let option = scanner.known.first { $0.takesValue && $0.spelling == typed[..<end] }
        return option.map { ($0.completion, String(typed[...end])) }
    }

    /// How the next operand is completed; `nil` if no operand can follow.
    package var operand: ValueCompletion? {
        var position = 0
        for argument in scanner.known {
            switch argument.kind {
            case .operand(_, let isList):
                if isList || position == operands.count { return argument.completion }
                position += 1
            case .remainder: return argument.completion
            case .flag, .option, .refused: break
            }
        }
        return nil
    }
}
