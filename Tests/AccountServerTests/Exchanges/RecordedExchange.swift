import Foundation
import JSON
import Transport

/// One line of `Tests/Exchanges/parse/exchanges.ndjson`; its README describes the format.
struct RecordedExchange {
    enum Kind {
        case exchange
        /// A preparation for later requests. Its response is neither recorded nor compared.
        case setup
        /// A pause.
        case wait(seconds: Double)
    }

    let kind: Kind
    let name: String
    let profile: String
    let method: String
    /// The path from the mount on, with placeholders such as `<id signup.minimal>`.
    let path: String
    let headers: [(name: String, value: String)]
    let body: String?
    /// The response of each version: `404 101 {code error}` is the status, the code and the names of the members.
    let answers: [String: String]

    static let versions = ["8.2.2", "7.1.0", "6.5.11", "5.6.0", "4.10.20", "3.10.0"]

    static func all() throws -> [RecordedExchange] {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: folder.appendingPathComponent("Exchanges/parse/exchanges.ndjson"), encoding: .utf8)
        return try text.split(separator: "\n").map { try RecordedExchange(JSONValue(parsing: Array($0.utf8))) }
    }

    private init(_ line: JSONValue) {
        kind =
            if let seconds = line["seconds"]?.integer {
                .wait(seconds: Double(seconds))
            } else {
                line["setup"] == nil ? .exchange : .setup
            }
        name = line["name"]?.string ?? line["setup"]?.string ?? ""
        profile = line["profile"]?.string ?? ""
        method = line["method"]?.string ?? ""
        path = line["path"]?.string ?? ""
        headers = (line["headers"]?.object?.members ?? []).map { ($0.name, $0.value.string ?? "") }
        body = line["body"]?.string
        answers = Self.byVersion(line["answers"]?.object ?? [:])
    }

    /// From `{"all":"…"}` or `{"8.2.2 7.1.0":"…","3.10.0":"…"}`.
    private static func byVersion(_ answers: JSONObject) -> [String: String] {
        var byVersion: [String: String] = [:]
        for member in answers.members {
            let names = member.name == "all" ? versions : member.name.split(separator: " ").map(String.init)
            for name in names { byVersion[name] = member.value.string }
        }
        return byVersion
    }

    /// `PUT /users/:id`.
    var endpoint: String {
        let place = path.replacing(/\/parse/, with: "", maxReplacements: 1).replacing(/\?.*/, with: "")
        return "\(method) \(place.replacing(/<id [^>]*>|zzzzzzzzzz/, with: ":id"))"
    }
}

extension Answer {
    /// The response in the form of `RecordedExchange.answers`.
    var signature: String {
        guard let object = json?.object else { return "\(status)" }
        let code = object["code"]?.integer.map { " \($0)" } ?? ""
        return "\(status)\(code) {\(object.names.sorted().joined(separator: " "))}"
    }
}
