/// The result as one page without scripts and other files, the differences first.
enum HTMLReport {
    static let beginning = "<!DOCTYPE html>\n<!-- authctl check -->\n"

    static func text(_ findings: CheckFindings) -> String {
        let heads = findings.users.map { "<th scope=\"col\">\($0.inMarkup)</th>" }.joined()
        let ending = findings.ending.map { "<p class=\"differs\">The run ended early: \($0.inMarkup)</p>\n" } ?? ""
        return """
            \(beginning)<html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>authctl check: \(findings.table.inMarkup)</title>
            <style>
            \(style)
            </style>
            <h1>authctl check: <code>\(findings.table.inMarkup)</code></h1>
            <p>\(findings.summary), at <time>\(findings.time.text)</time>.</p>
            \(ending)\(list("Differences", findings.cells(.differs)))\(list("Not known", findings.cells(.unknown)))\
            <h2>All requests</h2>
            <div class="wide"><table>
            <thead><tr><th scope="col">request</th>\(heads)</tr></thead>
            <tbody>
            \(findings.rows.map { row($0.row, $0.cells, findings.users) }.joined())</tbody>
            </table></div>
            </html>

            """
    }

    private static func list(_ title: String, _ cells: [CheckFindings.Cell]) -> String {
        guard !cells.isEmpty else { return "" }
        let items = cells.map { cell in
            "<li class=\"\(cell.state)\">\(cell.message.inMarkup) <small>(line \(cell.row.line))</small></li>\n"
        }
        return "<h2>\(title) (\(cells.count))</h2>\n<ul>\n\(items.joined())</ul>\n"
    }

    private static func row(_ row: CheckFindings.Row, _ cells: [CheckFindings.Cell?], _ users: [String]) -> String {
        let columns = zip(cells, users).map { cell, user in
            guard let cell else { return "<td class=\"empty\">-</td>" }
            let expected = cell.state == .asExpected ? "" : " <small>expected \(cell.expected.inMarkup)</small>"
            return "<td class=\"\(cell.state)\" data-user=\"\(user.inMarkup)\">\(cell.state.rawValue) "
                + "\((cell.actual ?? (cell.state == .unknown ? "not known" : "not sent")).inMarkup)\(expected)</td>"
        }
        return "<tr><th scope=\"row\"><code>\(row.request.inMarkup)</code></th>\(columns.joined())</tr>\n"
    }

    /// On a narrow screen, each request is a block with its outcomes below it.
    private static let style = """
        :root { color-scheme: light dark; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 80rem; margin: auto; padding: 1rem; }
        h1 { font-size: 1.4rem; }
        h2 { font-size: 1.15rem; }
        h1, li, th, td { overflow-wrap: anywhere; }
        ul { padding-left: 1.2rem; }
        table { border-collapse: collapse; }
        th, td { border: 1px solid #8886; padding: .2rem .6rem; text-align: left; vertical-align: top; }
        th[scope=row] { font-weight: normal; min-width: 14rem; }
        td { min-width: 5rem; }
        .wide { overflow-x: auto; }
        li small { white-space: nowrap; }
        .differs { color: #b3261e; }
        .unknown { color: #8a5000; }
        .asExpected { color: #146c2e; }
        td.differs, td.unknown { font-weight: bold; }
        @media (prefers-color-scheme: dark) {
          .differs { color: #ffb4ab; }
          .unknown { color: #ffc875; }
          .asExpected { color: #7ddc94; }
        }
        @media (max-width: 40rem) {
          thead { position: absolute; left: -99rem; }
          table, tbody, tr, th, td { display: block; border: 0; padding: 0; }
          tr { border-top: 1px solid #8886; padding: .5rem 0; }
          td { padding-left: 1rem; }
          td::before { content: attr(data-user) ": "; color: CanvasText; font-weight: normal; }
          .empty { display: none; }
        }
        """
}
