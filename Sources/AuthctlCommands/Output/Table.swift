/// Rows of text in aligned columns; accounts for wide characters.
struct Table {
    private let header: [String]
    private var rows: [[String]] = []

    init(_ header: [String]) {
        self.header = header
    }

    mutating func add(_ row: [String]) {
        rows.append(row.map(\.shownShort))
    }

    /// The table as complete lines without trailing spaces.
    func text(_ style: TextStyle) -> String {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].columns }.max() ?? 0
        }
        let lines = [style.dim(line(header, widths))] + rows.map { line($0, widths) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { cell, width in
            cell + String(repeating: " ", count: width - cell.columns)
        }
        var line = padded.joined(separator: "  ")[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
