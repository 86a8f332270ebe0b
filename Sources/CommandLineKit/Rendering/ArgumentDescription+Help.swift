extension ArgumentDescription {
    /// The row on a help page; `nil` for refused options.
    package var helpRow: HelpRow? {
        isRefused ? nil : HelpRow(term, text)
    }

    /// The argument in a usage line; `nil` for options, which `[OPTIONS]` covers.
    package var usage: String? {
        switch kind {
        case .operand(let minimum, let isList):
            let word = isList ? "\(name)..." : name
            return minimum == 0 ? "[\(word)]" : word
        case .remainder(let isRequired):
            return isRequired ? "-- \(name) [ARG...]" : "[-- \(name) [ARG...]]"
        case .flag, .option, .refused:
            return nil
        }
    }

    private var isRefused: Bool {
        if case .refused = kind { true } else { false }
    }

    var term: String {
        let names = (short.map { "-\($0), " } ?? "") + spelling
        guard case .option = kind else { return names }
        return "\(names) \(valueName)"
    }

    /// The placeholder of the value, or its choices: `FILE`, `text|json`.
    package var valueName: String { placeholder ?? choices.joined(separator: "|") }

    /// The help that shells show next to a suggestion, without backticks and without the final period.
    package var shortHelp: String {
        let help = fixedHelp.isEmpty ? help : fixedHelp
        let plain = help.utf8.filter { $0 != UInt8(ascii: "`") }
        return String(decoding: plain.last == UInt8(ascii: ".") ? plain.dropLast() : plain[...], as: UTF8.self)
    }

    private var text: String {
        var sentences = [help]
        if placeholder != nil, !choices.isEmpty {
            sentences.append("One of \(choices.joined(separator: ", ")).")
        }
        if isRepeatable { sentences.append("May be repeated.") }
        if let defaultText { sentences.append("Default: \(defaultText).") }
        if !environment.isEmpty { sentences.append("Environment: \(environment.joined(separator: ", ")).") }
        return sentences.joined(separator: " ")
    }
}
