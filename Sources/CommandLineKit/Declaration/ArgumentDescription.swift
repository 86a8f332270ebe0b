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
    package let short: Character?
    private let fixedHelp: String
    private var lazyHelp: LazyHelp?
    /// The words a value is chosen from; empty if it is free.
    package let choices: [String]
    /// Given twice, both values count.
    package let isRepeatable: Bool
    /// What holds without it, as help shows it.
    package let defaultText: String?
    /// Variables that say the same; read by whoever knows the order of precedence, not by the parser.
    package let environment: [String]
    /// Set where the kind, the choices and the placeholder do not tell it.
    private(set) var ownCompletion: ValueCompletion?

    init(
        kind: Kind, name: String, short: Character? = nil, help: String = "", choices: [String] = [],
        isRepeatable: Bool = false, defaultText: String? = nil, environment: [String] = []
    ) {
        self.kind = kind
        self.name = name
        self.short = short
        fixedHelp = help
        self.choices = choices
        self.isRepeatable = isRepeatable
        self.defaultText = defaultText
        self.environment = environment
    }

    package var help: String { lazyHelp?.text ?? fixedHelp }

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

/// Words that a shell offers, computed when a completion script is rendered: other commands would start more slowly.
package struct WordList: Sendable, Equatable {
    private let make: @Sendable () -> [String]

    package init(_ words: @autoclosure @escaping @Sendable () -> [String]) {
        make = words
    }

    var words: [String] { make() }

    package static func == (left: WordList, right: WordList) -> Bool { left.words == right.words }
}

/// A help sentence, computed when help is rendered, for the same reason.
package struct LazyHelp: Sendable, Equatable {
    private let make: @Sendable () -> String

    package init(_ text: @autoclosure @escaping @Sendable () -> String) {
        make = text
    }

    var text: String { make() }

    package static func == (left: LazyHelp, right: LazyHelp) -> Bool { left.text == right.text }
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

    func explained(by help: LazyHelp) -> ArgumentDescription {
        var description = self
        description.lazyHelp = help
        return description
    }
}

extension ArgumentDescription {
    /// Understood by every command without being declared.
    package static let help = ArgumentDescription(kind: .flag, name: "help", short: "h", help: "Show help and exit.")

    /// Understood before the command's name without being declared.
    package static let version = ArgumentDescription(kind: .flag, name: "version", help: "Print the version and exit.")
}
