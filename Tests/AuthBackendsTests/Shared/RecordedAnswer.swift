import Foundation
import JSON
import Transport

@testable import AuthBackends

/// One line of an `answers.ndjson` in `Tests/Exchanges`; the README there tells the format.
struct RecordedAnswer {
    let name: String
    let versions: String
    /// `POST /users facebook`: method, path from the mount on, and where the same path is for several calls, what was
    /// sent: for Parse the providers whose data it was.
    let request: String
    let response: HTTPResponse

    static func all(of server: RecordedServer) throws -> [RecordedAnswer] {
        try server.lines(of: "answers.ndjson").map { try RecordedAnswer(JSONValue(parsing: Array($0.utf8)), server) }
    }

    private init(_ line: JSONValue, _ server: RecordedServer) {
        name = line["name"]?.string ?? ""
        versions = line["versions"]?.string ?? ""
        request = line["request"]?.string ?? ""
        var headers: HTTPHeaders = ["Content-Type": server.usualType]
        for member in line["headers"]?.object?.members ?? [] { headers[member.name] = member.value.string }
        response = HTTPResponse(
            status: Int(line["status"]?.integer ?? 0), headers: headers, body: Array((line["body"]?.string ?? "").utf8))
    }

    var method: HTTPRequest.Method {
        HTTPRequest.Method(rawValue: String(request.prefix { $0 != " " }))
    }
}

/// The servers whose answers were recorded; each has a folder in `Tests/Exchanges`.
enum RecordedServer: String {
    case parse
    case restAuth = "rest-auth"
    case allauth
    case kii

    /// The content type of answers that name none in the recording.
    fileprivate var usualType: String {
        switch self {
        case .parse: "application/json; charset=utf-8"
        case .restAuth, .allauth, .kii: "application/json"
        }
    }

    /// The lines of a file in the folder.
    func lines(of file: String) throws -> [Substring] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = tests.appendingPathComponent("Exchanges/\(rawValue)/\(file)")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    }
}
