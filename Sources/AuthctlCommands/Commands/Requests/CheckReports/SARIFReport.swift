import JSON

/// The result for code scanning: a result for each cell that differs, at the line of its request in the table.
///
/// Source: OASIS, SARIF 2.1.0.
enum SARIFReport {
    private static let head: JSONObject = [
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
    ]
    private static let rule = "access-differs"

    static let beginning =
        "\(JSONValue.object(head).text.dropLast()),\"runs\":[{\"tool\":{\"driver\":{\"name\":\"authctl\""

    static func text(_ findings: CheckFindings) -> String {
        let driver: JSONValue = [
            "name": "authctl", "version": .string(programVersion),
            "rules": [["id": .string(rule), "shortDescription": ["text": "A user's access differs from the table"]]],
        ]
        var notes = findings.cells(.unknown).map { note($0.message, "error", at($0, findings)) }
        let left = findings.cells(.notSent).count
        if left > 0 || findings.ending != nil {
            let cause = findings.ending.map { ": \($0)" } ?? ""
            notes.append(note("\(left) request\(left == 1 ? " was" : "s were") not sent\(cause)", "warning", []))
        }
        let run: JSONValue = [
            "tool": ["driver": driver],
            "invocations": [
                [
                    "executionSuccessful": .bool(notes.isEmpty), "endTimeUtc": .string(findings.time.text),
                    "toolExecutionNotifications": .array(notes),
                ]
            ],
            "results": .array(findings.cells(.differs).map { result($0, findings) }),
        ]
        var log = head
        log["runs"] = [run]
        return JSONValue.object(log).text + "\n"
    }

    private static func result(_ cell: CheckFindings.Cell, _ findings: CheckFindings) -> JSONValue {
        [
            "ruleId": .string(rule), "ruleIndex": 0, "level": "error", "message": ["text": .string(cell.message)],
            "locations": at(cell, findings),
            "partialFingerprints": ["authctlCell/v1": .string("\(cell.row.request) \(cell.user)")],
        ]
    }

    private static func note(_ text: String, _ level: String, _ locations: JSONValue) -> JSONValue {
        ["level": .string(level), "message": ["text": .string(text)], "locations": locations]
    }

    private static func at(_ cell: CheckFindings.Cell, _ findings: CheckFindings) -> JSONValue {
        guard let uri = findings.uri else { return [] }
        let place: JSONValue = [
            "artifactLocation": ["uri": .string(uri)], "region": ["startLine": JSONValue(cell.row.line)],
        ]
        return [["physicalLocation": place]]
    }
}
