import CommandLineKit

/// Formats text with the macros of man(7).
enum Roff {
    /// A paragraph. Text in backticks becomes bold. Lines have at most 78 characters, unless a word is longer.
    static func lines(_ text: String) -> [String] {
        TextWrap(width: 78).lines(marked(text)).map(guarded)
    }

    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fP" }

    static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fP" }

    static func code(_ text: String) -> [String] {
        let lines = text.split(separator: "\n" as Character, omittingEmptySubsequences: false)
        return [".EX"] + lines.map { guarded(escaped(String($0))) } + [".EE"]
    }

    /// Breaks a command line so that it fits a page of 80 columns and still works when pasted: after `|` or `&&` or, with a
    /// backslash, before an option.
    static func folded(_ line: String) -> [String] {
        // The page's indentation is 11 columns.
        let width = 69 - 2
        guard line.count > width else { return [line] }
        let words = line.split(separator: " " as Character, omittingEmptySubsequences: false).map(String.init)
        let fitting = words.indices.dropFirst().filter { words[..<$0].joined(separator: " ").count <= width }
        guard
            let index = fitting.last(where: { ["|", "&&"].contains(words[$0 - 1]) })
                ?? fitting.last(where: { words[$0].hasPrefix("-") || words[$0].hasPrefix("\"") }), index > 1
        else { return [line] }
        let head = words[..<index].joined(separator: " ")
        return [head + (head.hasSuffix("|") || head.hasSuffix("&&") ? "" : " \\")]
            + folded("    " + words[index...].joined(separator: " "))
    }

    /// Terms with their descriptions; a term may already contain formatting.
    static func terms(_ rows: [(term: String, lines: [String])]) -> [String] {
        rows.flatMap { [".TP", guarded($0.term)] + $0.lines }
    }

    static func rows(_ rows: [HelpRow]) -> [String] {
        terms(rows.map { (bold($0.term), lines($0.text)) })
    }

    /// A reference to another manual page.
    static func page(_ name: String, _ section: Int) -> String { "\(bold(name))(\(section))" }

    /// - Parameter hyphen: the replacement for each hyphen: a minus sign for options (the default), `-` for prose.
    static func escaped(_ text: String, hyphen: String = "\\-") -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": hyphen
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\"": "\\(dq"
            default: String(scalar)
            }
        }.joined()
    }

    /// Makes text in backticks bold. Formats each word separately, so that lines can break between words.
    private static func marked(_ text: String) -> String {
        let parts = text.split(separator: "`" as Character, omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            let words = part.split(separator: " " as Character, omittingEmptySubsequences: false)
            return words.map { word in
                index.isMultiple(of: 2) || word.isEmpty ? escapedProse(String(word)) : bold(String(word))
            }.joined(separator: " ")
        }.joined()
    }

    /// If a word begins with a hyphen, as options do, all its hyphens become minus signs; otherwise they stay hyphens.
    private static func escapedProse(_ word: String) -> String {
        escaped(word, hyphen: word.utf8.first == UInt8(ascii: "-") ? "\\-" : "-")
    }

    /// Protects a leading period, which would start a roff request.
    private static func guarded(_ line: String) -> String {
        line.utf8.first == UInt8(ascii: ".") ? "\\&\(line)" : line
    }
}
