/// The building blocks of help pages, each as formatted lines.
struct HelpLayout {
    let wrap: TextWrap
    /// Marks headings, the terms of lists, and example command lines. It is applied after the layout, so escape
    /// sequences do not change the line breaks.
    let mark: (String) -> String

    func usage(_ text: String) -> [String] {
        wrap.lines("Usage: \(text)", hanging: 7)
    }

    /// A heading and its lines; empty if there are no lines.
    func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [mark("\(title):")] + lines
    }

    /// A two-column list. If a term is too wide for its column, its description begins on the next line.
    ///
    /// Pass all rows of the page as `neighbours` to align several lists.
    func columns(_ rows: [HelpRow], neighbours: [HelpRow] = []) -> [String] {
        let limit = wrap.width / 3
        let column = (rows + neighbours).map(\.term.count).filter { $0 <= limit }.max() ?? 4
        return rows.flatMap { columns($0, textAt: 2 + column + 2) }
    }

    private func columns(_ row: HelpRow, textAt indent: Int) -> [String] {
        let text = wrap.lines(row.text, indent: indent)
        let fitsBeside = 2 + row.term.count + 2 <= indent
        guard fitsBeside, let first = text.first else { return strong(row.term, hanging: 4) + text }
        let term = "  \(mark(row.term))"
        return [term + first.dropFirst(2 + row.term.count)] + text.dropFirst()
    }

    func examples(_ examples: [Example]) -> [String] {
        examples.flatMap { strong($0.commandLine, hanging: 6) }
    }

    /// Styles each line except its indentation, because a style may underline text.
    private func strong(_ text: String, hanging: Int) -> [String] {
        wrap.lines(text, indent: 2, hanging: hanging).map { line in
            let words = line.drop { $0 == " " }
            return line.prefix(line.count - words.count) + mark(String(words))
        }
    }
}
