/// The result as XML for continuous integration: a test case for each cell.
///
/// Readers require the time of a test case; requests are not timed. Source: the format of Ant's JUnit task, as Jenkins, GitLab and GitHub actions read it.
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
            file="\(table)" line="\(cell.row.line)" time="0"\(result(cell))

            """
        }
        return """
            \(beginning) \(counts)>
              <testsuite name="\(table)" \(counts) time="0" timestamp="\(findings.time.text)">
            \(cells.joined())  </testsuite>
            </testsuites>

            """
    }

    private static func result(_ cell: CheckFindings.Cell) -> String {
        let elements: [CheckFindings.State: String] = [.differs: "failure", .unknown: "error", .notSent: "skipped"]
        guard let element = elements[cell.state] else { return "/>" }
        // Jenkins shows the attribute, GitLab the text.
        let message = cell.message.inMarkup
        return "><\(element) message=\"\(message)\">\(message)</\(element)></testcase>"
    }
}
