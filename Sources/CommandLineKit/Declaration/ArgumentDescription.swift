/// What can be said about one argument without the type it fills.
package struct ArgumentDescription: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case flag
        /// `value` is its placeholder, `NAME`; nil if the choices themselves stand there.
        case option(value: String?)
        case operand(atLeast: Int, isList: Bool)
        /// Everything after `--`, at least one word.
        case remainder
        /// An option that must never exist, and what to do instead.
        case refused(advice: String)
    }

    package let kind: Kind
    /// An option's long name without dashes, or an operand's placeholder.
    package let name: String
    package private(set) var short: Character?
    package private(set) var help = ""
    /// The words a value is chosen from; empty if it is free.
    package private(set) var choices: [String] = []
    /// Given twice, both values count.
    package private(set) var isRepeatable = false
    /// What holds without it, as help shows it.
    package private(set) var defaultText: String?
    /// Variables that say the same; read by whoever knows the order of precedence, not by the parser.
    package private(set) var environment: [String] = []
    /// Set where the kind, the choices and the placeholder do not tell it.
    private(set) var ownCompletion: ValueCompletion?

    /// Whether it is met by name; operands are met by position.
    package var isOption: Bool {
        switch kind {
        case .flag, .option, .refused: true
        case .operand, .remainder: false
        }
    }

    /// Whether help, completions and suggestions may name it as an option.
    package var isVisibleOption: Bool {
        switch kind {
        case .flag, .option: true
        case .operand, .remainder, .refused: false
        }
    }

    /// The name as it is typed: `--profile`, `USERNAME`.
    package var spelling: String { isOption ? "--\(name)" : name }
}

/// What a shell offers as the value of an option or an operand.
package enum ValueCompletion: Sendable, Equatable {
    /// Free text: nothing can be offered.
    case nothing
    case files
    case folders
    case words(WordList)
    /// What the program itself lists under this name, when it is asked.
    case live(String)
    /// The names of commands, and of help topics.
    case commands
    /// Another program and its own arguments.
    case commandLine
}

/// Words to be offered, made when a completion script is: no other command should pay for them.
package struct WordList: Sendable, Equatable {
    private let make: @Sendable () -> [String]

    package init(_ words: @autoclosure @escaping @Sendable () -> [String]) {
        make = words
    }

    var words: [String] { make() }

    package static func == (left: WordList, right: WordList) -> Bool { left.words == right.words }
}

extension ArgumentDescription {
    /// By declaration, else by what stands for the value: a `FILE` is a file, a `FOLDER` a folder.
    package var completion: ValueCompletion {
        if let ownCompletion { return ownCompletion }
        if !choices.isEmpty { return .words(WordList(choices)) }
        switch (kind, placeholder) {
        case (.remainder, _): return .commandLine
        case (_, "FILE"): return .files
        case (_, "FOLDER"): return .folders
        default: return .nothing
        }
    }

    /// What stands for the value: `FILE`; nil for a flag, and where the choices stand there themselves.
    package var placeholder: String? {
        switch kind {
        case .option(let value): value
        case .operand, .remainder: name
        case .flag, .refused: nil
        }
    }

    /// Whether it is an option that wants a value.
    var takesValue: Bool {
        if case .option = kind { true } else { false }
    }

    func completed(by completion: ValueCompletion) -> ArgumentDescription {
        var description = self
        description.ownCompletion = completion
        return description
    }
}

extension ArgumentDescription {
    /// Understood by every command without being declared.
    package static let help = ArgumentDescription(kind: .flag, name: "help", short: "h", help: "Show help and exit.")

    /// Understood before the command's name without being declared.
    package static let version = ArgumentDescription(kind: .flag, name: "version", help: "Print the version and exit.")
}
