/// Rows of text in aligned columns; accounts for wide characters.
struct Table {
    private let header: [String]
    private var rows: [[String]]

    /// - Parameter rows: the first rows, whose cells are shown as they are.
    init(_ header: [String], rows: [[String]] = []) {
        (self.header, self.rows) = (header, rows)
    }

    mutating func add(_ row: [String]) {
        rows.append(row.map(\.shownShort))
    }

    /// The table as complete lines without trailing spaces, or as a list of `HEADER: cell` if the table is too wide. A
    /// table that is too wide loses its empty columns first.
    ///
    /// - Parameters:
    ///   - width: the width of the terminal; `nil` for no limit.
    ///   - shrinkable: the indices of the columns whose cells may be cut to fit, down to a width of 8.
    func text(_ style: TextStyle, width: Int? = nil, shrinking shrinkable: [Int] = [], hasHeader: Bool = true) -> String
    {
        var widths = header.indices.map { column in
            ([header] + rows).map { $0[column].columns }.max() ?? 0
        }
        if let width {
            if columns(widths) > width, !rows.isEmpty {
                for column in header.indices where rows.allSatisfy({ $0[column].isEmpty }) { widths[column] = 0 }
            }
            shrink(&widths, to: width, shrinkable)
            if columns(widths) > width { return list() }
        }
        let lines = (hasHeader ? [style.dim(line(header, widths, style))] : []) + rows.map { line($0, widths, style) }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Reduces the widths of the shrinkable columns, the widest column first.
    private func shrink(_ widths: inout [Int], to width: Int, _ shrinkable: [Int]) {
        var excess = columns(widths) - width
        while excess > 0, let widest = shrinkable.max(by: { widths[$0] < widths[$1] }), widths[widest] > 8 {
            widths[widest] -= 1
            excess -= 1
        }
    }

    /// A column of width 0 takes no space.
    private func columns(_ widths: [Int]) -> Int { widths.reduce(-2) { $0 + ($1 > 0 ? $1 + 2 : 0) } }

    /// One line per cell, and an empty line between rows. A cell without a header begins the line of the next cell.
    private func list() -> String {
        let blocks = rows.map { row in
            zip(header, row).filter { !$1.isEmpty }
                .map { name, cell in name.isEmpty ? "\(cell) " : "\(name): \(cell)\n" }.joined()
        }
        return blocks.joined(separator: "\n")
    }

    private func line(_ cells: [String], _ widths: [Int], _ style: TextStyle) -> String {
        let padded = zip(cells, widths).filter { $1 > 0 }.map { cell, width in
            let cell = cell.cut(toColumns: width, style.ellipsis)
            return cell + String(repeating: " ", count: width - cell.columns)
        }
        var line = padded.joined(separator: "  ")[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
