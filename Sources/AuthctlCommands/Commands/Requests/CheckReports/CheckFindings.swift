import JSON
import Platform

/// The result of `check` for report files: each cell of the table, as text that is not yet escaped.
///
/// A request is as typed in the table, so that no value of a variable and no user's id is in a report.
struct CheckFindings: Sendable {
    /// Each has a mark, because a colour alone does not reach all readers.
    enum State: String, Sendable {
        case differs = "✗"
        case unknown = "?"
        case asExpected = "✓"
        case notSent = "–"
    }

    struct Cell: Sendable {
        let state: State
        let row: Row
        let user: String
        let expected: String
        /// `nil` if it is not known.
        let actual: String?
        /// What happened, or why it is not known.
        let message: String
    }

    struct Row: Sendable {
        /// The number of the line in the table, from 1.
        let line: Int
        /// Method and path.
        let request: String
    }

    /// The name of the table: its path as typed, or `standard input`.
    let table: String
    /// The path of the table as a URI reference, relative to the working folder; `nil` for standard input.
    let uri: String?
    let users: [String]
    /// The numbers of requests.
    let summary: String
    /// For each request, a cell for each user; `nil` for `-`.
    let rows: [(row: Row, cells: [Cell?])]
    let time: Instant
    /// Why the run ended early; `nil` if it did not.
    let ending: String?

    var cells: [Cell] { rows.flatMap { $0.cells.compactMap(\.self) } }

    func cells(_ state: State) -> [Cell] { cells.filter { $0.state == state } }
}

extension String {
    /// The text for an XML, HTML or Markdown document: one line, without control characters, and with references such as
    /// `&#60;` in place of the characters of `special`.
    func referencing(_ special: String) -> String {
        // XML has neither U+FFFE nor U+FFFF. Source: XML 1.0, section 2.2.
        let text = shown.unicodeScalars.map { scalar in
            scalar.value & 0xFFFE == 0xFFFE
                ? "\u{FFFD}" : special.unicodeScalars.contains(scalar) ? "&#\(scalar.value);" : String(scalar)
        }
        return text.joined()
    }

    /// The text for XML and HTML, in an element or a quoted attribute.
    var inMarkup: String { referencing("&<>\"'") }
}
