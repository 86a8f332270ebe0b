/// The cells that differ or are not known, for a pull request.
enum MarkdownReport {
    static let beginning = "<!-- authctl check -->\n"

    /// GitHub rejects a comment of more than 65,536 characters.
    private static let longest = 60_000

    static func text(_ findings: CheckFindings) -> String {
        var text = "\(beginning)### authctl check: \(code(findings.table))\n\n\(findings.summary)\n"
        if let ending = findings.ending { text += "\nThe run ended early: \(code(ending))\n" }
        let rows = findings.cells(.differs) + findings.cells(.unknown)
        guard !rows.isEmpty else { return text }
        text += "\n| | request | user | expected | actual | line |\n|---|---|---|---|---|---|\n"
        for (count, cell) in rows.enumerated() {
            let actual = code(cell.actual ?? cell.message)
            let row = """
                | \(cell.state.rawValue) | \(code(cell.row.request)) | \(code(cell.user)) | \(code(cell.expected)) | \
                \(actual) | \(cell.row.line) |

                """
            guard text.utf8.count + row.utf8.count < longest else { return "\(text)\nand \(rows.count - count) more\n" }
            text += row
        }
        return text
    }

    /// The text as code. References keep Markdown from reading markup, tables, mentions, links and formulas in it.
    private static func code(_ text: String) -> String {
        "<code>\(text.referencing("&<>\"'\\`*_[]()~#@|$:.!^"))</code>"
    }
}
