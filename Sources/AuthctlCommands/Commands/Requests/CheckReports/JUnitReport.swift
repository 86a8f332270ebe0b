/// The result as XML for continuous integration: a test case for each cell.
///
/// Source: the format of Ant's JUnit task, as Jenkins, GitLab and GitHub actions read it.
enum JUnitReport {
    static let beginning = #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="authctl check"
        """#

    static func text(_ findings: CheckFindings) -> String {
        let counts = """
            tests="\(findings.cells.count)" failures="\(findings.cells(.differs).count)" \
            errors="\(findings.cells(.unknown).count)" skipped="\(findings.cells(.notSent).count)"
            """
        let table = findings.table.inMarkup
        let cells = findings.cells.map { cell in
            """
                <testcase classname="\(cell.row.request.inMarkup)" name="\(cell.user.inMarkup): \(cell.expected.inMarkup)" \
            file="\(table)" line="\(cell.row.line)"\(result(cell))

            """
        }
        return """
            \(beginning) \(counts)>
              <testsuite name="\(table)" \(counts) timestamp="\(findings.time.text)">
            \(cells.joined())  </testsuite>
            </testsuites>

            """
    }

    private static func result(_ cell: CheckFindings.Cell) -> String {
        let element: String
        switch cell.state {
        case .asExpected: return "/>"
        case .differs: element = "failure"
        case .unknown: element = "error"
        case .notSent: element = "skipped"
        }
        return "><\(element) message=\"\(cell.message.inMarkup)\"/></testcase>"
    }
}
