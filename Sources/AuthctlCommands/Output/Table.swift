/// Rows of text in columns that align, whatever the width of their characters.
struct Table {
    private let header: [String]
    private var rows: [[String]] = []

    init(_ header: [String]) {
        self.header = header
    }

    mutating func add(_ row: [String]) {
        rows.append(row.map(\.shown))
    }

    /// Lines with their ends; the last column is not padded.
    func text(_ style: TextStyle) -> String {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].columns }.max() ?? 0
        }
        let lines = [style.dim(line(header, widths))] + rows.map { line($0, widths) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).enumerated().map { column, cell in
            let isLast = column == widths.count - 1
            return isLast ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.columns)
        }
        return padded.joined(separator: "  ")
    }
}
