import JSON
import Platform

enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
}

struct TextStyle: Sendable, Equatable {
    let isColored: Bool
    /// The mark of a cell that was cut.
    var ellipsis = "…"
    /// The width of the terminal, to which messages are wrapped; `nil` for lines of any length.
    var width: Int?

    init(isColored: Bool) {
        self.isColored = isColored
    }

    static let plain = TextStyle(isColored: false)

    /// `--color always` and `--color never` override all variables. `NO_COLOR` takes precedence over `CLICOLOR_FORCE`.
    /// If neither variable is set, output is colored on a terminal, unless `TERM` is `dumb` or `CLICOLOR` is `0`.
    ///
    /// Source: no-color.org (an empty value is ignored), bixense.com/clicolors.
    init(_ choice: ColorChoice?, _ environment: Environment, isTerminal: Bool) {
        ellipsis = environment.ellipsis
        switch choice {
        case .always: isColored = true
        case .never: isColored = false
        case .auto, nil:
            if environment["NO_COLOR"] != nil {
                isColored = false
            } else if environment.isOn("CLICOLOR_FORCE") {
                isColored = true
            } else {
                isColored = isTerminal && environment["TERM"] != "dumb" && environment["CLICOLOR"] != "0"
            }
        }
    }

    /// A message after `authctl: LABEL:`, wrapped like `lines`.
    ///
    /// - Parameter label: `error`, `hint` or another word, with its color.
    func message(_ label: String, _ text: String, mark: (String) -> String) -> String {
        lines("authctl: \(mark(label)):", columns: "authctl: \(label):".count, text, indent: 4)
    }

    /// A text in one line or, on a terminal, in lines that end between words. Text in quotes and a command to paste, such as
    /// `authctl login ada`, are never broken.
    ///
    /// - Parameter columns: the width of `head`, without escape sequences.
    func lines(_ head: String, columns: Int, _ text: String, indent: Int) -> String {
        var (lines, used) = (head, columns)
        for (index, piece) in text.shown.unbrokenPieces.enumerated() {
            if let width, index > 0, used + 1 + piece.columns > width {
                lines += "\n" + String(repeating: " ", count: indent - 1)
                used = indent - 1
            }
            lines += " \(piece)"
            used += 1 + piece.columns
        }
        return lines + "\n"
    }

    func strong(_ text: String) -> String { mark(text, "1") }
    func dim(_ text: String) -> String { mark(text, "2") }
    func failure(_ text: String) -> String { mark(text, "31") }
    func warning(_ text: String) -> String { mark(text, "33") }

    private func mark(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// The words that a shell would start a command with, in the hints of authctl.
    private static let programs = [
        "authctl", "apt-get", "chmod", "export", "firebase", "ls", "mv", "pip", "rm", "security", "unset",
    ]

    /// The words of a message. Text in quotes, and the rest after `: ` where a command begins, are one piece each.
    fileprivate var unbrokenPieces: [String] {
        var pieces: [String] = []
        let words = split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        var isQuoted = false
        for (index, word) in words.enumerated() {
            if !isQuoted, index > 0, words[index - 1].hasSuffix(":"), Self.programs.contains(word) {
                return pieces + [words[index...].joined(separator: " ")]
            }
            if isQuoted { pieces[pieces.count - 1] += " \(word)" } else { pieces.append(word) }
            let opens = word.hasPrefix("'") || word.hasPrefix("('")
            let end = word.utf8.reversed().first { !",;:.)".utf8.contains($0) }
            let closes = end == UInt8(ascii: "'") && word.utf8.count > 1
            isQuoted = (isQuoted || opens) && !closes
        }
        return pieces
    }
}

/// Makes untrusted text safe to show on a terminal.
extension String {
    /// One line, with escapes such as `\u{1b}` for characters that a terminal might interpret; cut to 4096 scalars.
    var shown: String { shown(atMost: 4096) }

    /// Like `shown`, but cut to 256 scalars, for a value within a longer text.
    var shownShort: String { shown(atMost: 256) }

    /// Counts scalars, because one character can have any number of combining marks.
    private func shown(atMost count: Int) -> String {
        let start = self.start(count)
        guard start.utf8.count == utf8.count else { return "\(start.shown)…" }
        return escaping(\.mustBeEscaped)
    }

    /// The text with the selected characters replaced by escapes such as `\u{1b}`.
    func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if isEscaped(scalar) {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The width in terminal columns: 0 for combining marks, 2 for wide characters and emoji.
    ///
    /// Source: Unicode Standard Annex 11, the ranges of width W or F.
    var columns: Int {
        utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? utf8.count : reduce(0) { $0 + $1.columns }
    }

    /// The text, or its start and `ellipsis` if the text is wider than the limit.
    func cut(toColumns limit: Int, _ ellipsis: String) -> String {
        guard columns > limit else { return self }
        var (text, width) = ("", ellipsis.count)
        for character in self {
            width += character.columns
            guard width <= limit else { break }
            text.append(character)
        }
        return text + ellipsis
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return first.isWide ? 2 : 1
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: properties.isEmojiPresentation
        }
    }
}
