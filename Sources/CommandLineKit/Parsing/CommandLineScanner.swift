/// Splits a command line into options and operands, according to their descriptions. Values are not converted.
///
/// The scan continues after the first error, because a later `--help` takes precedence over the error.
struct CommandLineScanner {
    /// A value for the argument `known[index]`; empty for a flag.
    struct Assignment: Equatable {
        let index: Int
        let value: String
    }

    /// The words that have not been read yet.
    var words: ArraySlice<String>
    private(set) var assignments: [Assignment] = []
    private(set) var wantsHelp = false
    /// Whether a `--` ended the options.
    private(set) var hasDashes = false
    private(set) var firstError: CommandLineError?
    /// The option at the end of the words whose value is missing.
    private(set) var awaited: ArgumentDescription?
    let known: [ArgumentDescription]
    private let rules: [OptionRule]
    let path: String

    /// - Parameters:
    ///   - known: the command's arguments, then the global arguments.
    ///   - path: the command as typed, for hints: `authctl login`.
    init(_ words: ArraySlice<String>, known: [ArgumentDescription], rules: [OptionRule] = [], path: String) {
        self.words = words
        self.known = known + [.help]
        self.rules = rules
        self.path = path
    }

    /// Reads all words.
    ///
    /// If the scan sets `wantsHelp`, the words may be invalid and the assignments incomplete.
    mutating func scan() throws(CommandLineError) {
        let operands = scanOperands()
        if wantsHelp { return }
        if let firstError { throw firstError }
        assignments += try operandAssignments(operands, afterDashes: words)
        for rule in rules { try rule.check(assignments.map { known[$0.index].name }, known) }
    }

    /// Reads all words up to `--`, and returns the operands among them.
    mutating func scanOperands() -> [String] {
        let all = words
        var operands: [String] = []
        scanOptions()
        while let word = words.popFirst() {
            if word == "--" {
                hasDashes = true
                break
            }
            if operands.isEmpty { requireDashes(before: word, in: all) }
            operands.append(word)
            scanOptions()
        }
        return operands
    }

    /// Rejects the first word of a child command if the required `--` is missing.
    private mutating func requireDashes(before word: String, in all: ArraySlice<String>) {
        guard let remainder = known.first(where: { $0.isRemainder }) else { return }
        let rest = [word] + words
        let corrected = path.split(separator: " ").map { String($0) } + all.dropLast(rest.count) + ["--"] + rest
        fail(
            CommandLineError(
                "missing '--' before \(remainder.name)",
                correction: CommandLineError.Correction(sentence: "put '--' before the command", words: corrected)))
    }

    /// Reads options up to the next operand, `--` or the end.
    mutating func scanOptions() {
        while let word = words.first, word.utf8.starts(with: "-".utf8), word != "-", word != "--" {
            words.removeFirst()
            if word.utf8.starts(with: "--".utf8) { scanLong(word) } else { scanCluster(word) }
        }
    }

    private mutating func scanLong(_ word: String) {
        let (name, value) = Self.split(word, dashes: 2)
        guard let index = indexOfOption(named: name) else { return fail(unknown(name)) }
        scan(index, spelled: "--\(name)", attached: value)
    }

    /// Reads short options: `-q`, `-qv`, `-pNAME`, `-qp NAME`.
    private mutating func scanCluster(_ word: String) {
        if isLongNameWithOneDash(word) { return }
        var letters = Substring(word.unicodeScalars.dropFirst())
        while let letter = letters.popFirst() {
            guard let index = known.firstIndex(where: { $0.short == letter }) else {
                return fail(.misuse("unknown option '-\(letter)'", path: path))
            }
            guard case .option = known[index].kind else {
                scan(index, spelled: "-\(letter)", attached: nil)
                continue
            }
            if !letters.isEmpty {
                assignments.append(Assignment(index: index, value: String(letters)))
                return
            }
            return scan(index, spelled: "-\(letter)", attached: nil)
        }
    }

    /// Rejects `-password=x`, which would otherwise mean `-p` with the value `assword=x`.
    private mutating func isLongNameWithOneDash(_ word: String) -> Bool {
        let name = Self.split(word, dashes: 1).name
        guard name.utf8.count > 1, let index = indexOfOption(named: name) else { return false }
        if case .refused(let advice) = known[index].kind {
            fail(CommandLineError("unknown option '-\(name)'", hints: [advice]))
        } else {
            fail(.misuse("unknown option '-\(name)'", path: path, guess: "did you mean '--\(name)'?"))
        }
        return true
    }

    private mutating func scan(_ index: Int, spelled spelling: String, attached: String?) {
        switch known[index].kind {
        case .flag where attached != nil:
            fail(.misuse("option '\(spelling)' takes no value", path: path))
        case .flag where index == known.count - 1:
            wantsHelp = true
        case .flag:
            assignments.append(Assignment(index: index, value: ""))
        case .option:
            guard let value = attached ?? takeValue() else {
                if words.isEmpty { awaited = known[index] }
                return fail(.misuse("option '\(spelling)' requires a value: \(known[index].valueName)", path: path))
            }
            assignments.append(Assignment(index: index, value: value))
        case .refused(let advice):
            fail(CommandLineError("unknown option '\(spelling)'", hints: [advice]))
        case .operand, .remainder:
            preconditionFailure("operands have no option name")
        }
    }

    /// Returns the next word; `nil` if there is none, or if it looks like an option.
    ///
    /// A dash and a declared letter, such as `-q`, look like an option; other words with one dash, such as `-5`, are
    /// values. A word with two dashes is never a value: it may be a misspelled option with a secret, and messages may
    /// repeat values. A value that begins with two dashes must be attached: `--x=--v`.
    private mutating func takeValue() -> String? {
        guard let word = words.first, !word.utf8.starts(with: "--".utf8) else { return nil }
        if known.contains(where: { $0.short.map { "-\($0)" } == word }) { return nil }
        return words.removeFirst()
    }

    private func indexOfOption(named name: String) -> Int? {
        known.firstIndex { $0.isOption && $0.name == name }
    }

    /// Splits `--name=value` by bytes, because `=` and a combining mark after it form one character.
    private static func split(_ word: String, dashes: Int) -> (name: String, value: String?) {
        let name = word.utf8.dropFirst(dashes).prefix { $0 != UInt8(ascii: "=") }
        let value = name.endIndex == word.endIndex ? nil : String(word.utf8[name.endIndex...].dropFirst())
        return (String(Substring(name)), value)
    }

    /// Shows the word only up to the first character that no option name has: `"--password secret"` contains a secret.
    private func unknown(_ word: String) -> CommandLineError {
        let name = String(word.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
        let names = known.filter(\.isVisibleOption).map(\.name)
        let guess = Suggestions.question(for: name, among: names, dashes: "--")
        return .misuse("unknown option '--\(name)'", path: path, guess: guess)
    }

    private mutating func fail(_ error: CommandLineError) {
        firstError = firstError ?? error
    }
}
