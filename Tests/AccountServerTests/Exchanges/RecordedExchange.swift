import Foundation
import JSON
import Transport

/// One line of `exchanges.ndjson`, in the format that `Tests/Exchanges/README.md` describes.
struct RecordedExchange {
    /// The length of the pause; `nil` if the line is a request and not a pause.
    let seconds: Int64?
    let name: String
    let profile: String
    let method: String
    /// The path as sent, including the mount path, with placeholders such as `<id signup.minimal>`.
    let path: String
    let headers: [(name: String, value: String)]
    let body: String?
    /// The response, such as `404 101 {code error}`: the status, and for a JSON object the error code, if any, and the
    /// member names. `?` stands for a body that was too long to record. `nil` for a pause or a `setup` request.
    let answer: String?

    static func all() throws -> [RecordedExchange] {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: folder.appendingPathComponent("Exchanges/parse/exchanges.ndjson"), encoding: .utf8)
        return try text.split(separator: "\n").map { try RecordedExchange(JSONValue(parsing: Array($0.utf8))) }
    }

    private init(_ line: JSONValue) {
        seconds = line["seconds"]?.integer
        name = line["name"]?.string ?? line["setup"]?.string ?? ""
        profile = line["profile"]?.string ?? ""
        method = line["method"]?.string ?? ""
        path = line["path"]?.string ?? ""
        headers = (line["headers"]?.object?.members ?? []).map { ($0.name, $0.value.string ?? "") }
        body = line["body"]?.string
        answer = line["answer"]?.string
    }
}

extension Answer {
    /// The response in the form of `RecordedExchange.answer`.
    var signature: String {
        guard let object = json?.object else { return "\(status)" }
        let code = object["code"]?.integer.map { " \($0)" } ?? ""
        return "\(status)\(code) {\(object.names.sorted().joined(separator: " "))}"
    }
}
