/// Wraps text at spaces to a width, counted in characters.
///
/// After the first line, a line is indented less if its first word would otherwise exceed the width. A word longer than
/// the width gets a separate line.
package struct TextWrap: Sendable {
    /// The maximum length of a line in characters, at least 20.
    package let width: Int

    package init(width: Int = 80) {
        self.width = max(20, width)
    }

    /// The lines of one paragraph; all but the first are indented by `hanging`.
    package func lines(_ text: String, indent: Int = 0, hanging: Int? = nil) -> [String] {
        var lines: [String] = []
        var line = Self.spaces(indent)
        var isEmpty = true
        for word in text.split(whereSeparator: \.isWhitespace) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = Self.spaces(max(0, min(hanging ?? indent, width - word.count)))
                isEmpty = true
            }
            line += isEmpty ? String(word) : " \(word)"
            isEmpty = false
        }
        return isEmpty ? lines : lines + [line]
    }

    /// The lines of several paragraphs, separated by empty lines in the text and in the result.
    package func paragraphs(_ text: String, indent: Int = 0) -> [String] {
        text.split(separator: "\n" as Character, omittingEmptySubsequences: false)
            .split { line in line.allSatisfy(\.isWhitespace) }
            .map { lines($0.joined(separator: " "), indent: indent) }
            .reduce(into: []) { all, lines in all += all.isEmpty ? lines : [""] + lines }
    }

    static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: count)
    }
}
