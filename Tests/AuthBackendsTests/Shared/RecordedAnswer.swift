import Foundation
import JSON
import Transport

@testable import AuthBackends

/// One line of an `answers.ndjson` in `Tests/Exchanges`; the README there describes the format.
struct RecordedAnswer {
    let name: String
    let versions: String
    /// `POST /users facebook`: method and path below the mount. If several calls share the path, a note on the body
    /// follows: for Parse, the providers in `authData`.
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

/// The servers with recorded responses; each has a folder in `Tests/Exchanges`.
enum RecordedServer: String {
    case parse
    case restAuth = "rest-auth"
    case allauth
    case kii

    /// The content type of recorded responses without one.
    fileprivate var usualType: String {
        switch self {
        case .parse: "application/json; charset=utf-8"
        case .restAuth, .allauth, .kii: "application/json"
        }
    }

    func lines(of file: String) throws -> [Substring] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = tests.appendingPathComponent("Exchanges/\(rawValue)/\(file)")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    }
}
