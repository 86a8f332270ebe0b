/// The description of an argument, independent of the type that stores its value.
package struct ArgumentDescription: Sendable {
    package enum Kind: Sendable, Equatable {
        case flag
        /// The placeholder of the value, such as `NAME`; `nil` if help shows the choices instead.
        case option(value: String?)
        case operand(atLeast: Int, isList: Bool)
        /// Everything after `--`, at least one word. If `isRequired` is `false`, the `--` and the words may be omitted.
        case remainder(isRequired: Bool)
        /// An option that is always rejected, such as `--password`. `advice` names the alternative.
        case refused(advice: String)
    }

    package let kind: Kind
    /// The long name of an option without dashes, or the placeholder of an operand.
    package let name: String
    package var short: Character?
    /// The help; if there is a longer one, the short form for completion.
    var fixedHelp = ""
    /// Made when help is rendered, because making it earlier would slow the start of every command.
    var longHelp: (@Sendable () -> String)?
    /// The accepted values, if they are a fixed list; otherwise empty.
    package var choices: [String] = []
    /// Whether each occurrence adds a value; otherwise the last occurrence wins.
    package var isRepeatable = false
    package var defaultText: String?
    /// Environment variables that set or affect the option's value. The parser ignores the variables. Other code reads
    /// them and applies the precedence.
    package var environment: [String] = []
    /// Overrides the completion that is derived from the argument's kind, choices and placeholder.
    var ownCompletion: ValueCompletion?

    package var help: String { longHelp?() ?? fixedHelp }

    /// Whether the parser identifies the argument by its name. It identifies operands by their position.
    package var isOption: Bool {
        switch kind {
        case .flag, .option, .refused: true
        case .operand, .remainder: false
        }
    }

    /// Whether the argument is an operand that takes several words.
    package var isList: Bool {
        if case .operand(_, true) = kind { true } else { false }
    }

    var isRemainder: Bool {
        if case .remainder = kind { true } else { false }
    }

    /// Whether help, completions and suggestions show the argument as an option.
    package var isVisibleOption: Bool {
        switch kind {
        case .flag, .option: true
        case .operand, .remainder, .refused: false
        }
    }

    /// The name as typed: `--profile`, `USERNAME`.
    package var spelling: String { isOption ? "--\(name)" : name }
}

/// The suggestions of a shell for the value of an option or operand.
package enum ValueCompletion: Sendable {
    /// Free text; no suggestions.
    case nothing
    case files
    case folders
    /// A list that is made at completion time, because making it earlier would slow the start of every command.
    case words(@Sendable () -> [String])
    /// Suggestions that the program looks up, such as profile names. The associated value is the list's name.
    case live(String)
    /// The names of commands and help topics.
    case commands
    /// The command line of a different program.
    case commandLine
}

extension ArgumentDescription {
    /// The declared completion, or the completion derived from the argument's choices, kind and placeholder: files for
    /// `FILE`, folders for `FOLDER`.
    package var completion: ValueCompletion {
        if let ownCompletion { return ownCompletion }
        if !choices.isEmpty { return .words { [choices] in choices } }
        switch (kind, placeholder) {
        case (.remainder, _): return .commandLine
        case (_, "FILE"): return .files
        case (_, "FOLDER"): return .folders
        default: return .nothing
        }
    }

    /// The placeholder, such as `FILE`; `nil` for a flag, a refused option, or an option whose help shows the choices.
    package var placeholder: String? {
        switch kind {
        case .option(let value): value
        case .operand, .remainder: name
        case .flag, .refused: nil
        }
    }

    package var takesValue: Bool {
        if case .option = kind { true } else { false }
    }

    /// The option `--help`, which every command accepts without declaring it.
    package static let help = ArgumentDescription(
        kind: .flag, name: "help", short: "h", fixedHelp: "Show help and exit.")

    /// The option `--version`, which is accepted before the command's name without being declared.
    package static let version = ArgumentDescription(
        kind: .flag, name: "version", fixedHelp: "Print the version and exit.")
}
