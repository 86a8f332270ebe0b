import Foundation
import JSON
import Transport

@testable import AuthBackends

/// One line of `Tests/Exchanges/parse/answers.ndjson`; the README there tells the format.
struct RecordedAnswer {
    let name: String
    let versions: String
    /// `POST /users facebook`: method, path from the mount on, and the providers whose data was sent.
    let request: String
    let response: HTTPResponse

    static func all() throws -> [RecordedAnswer] {
        try lines(of: "answers.ndjson").map { try RecordedAnswer(JSONValue(parsing: Array($0.utf8))) }
    }

    /// The lines of a file among the recordings.
    static func lines(of file: String) throws -> [Substring] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Exchanges/parse/\(file)"), encoding: .utf8)
        return text.split(separator: "\n")
    }

    private init(_ line: JSONValue) {
        name = line["name"]?.string ?? ""
        versions = line["versions"]?.string ?? ""
        request = line["request"]?.string ?? ""
        var headers: HTTPHeaders = ["Content-Type": "application/json; charset=utf-8"]
        for member in line["headers"]?.object?.members ?? [] { headers[member.name] = member.value.string }
        response = HTTPResponse(
            status: Int(line["status"]?.integer ?? 0), headers: headers, body: Array((line["body"]?.string ?? "").utf8))
    }

    /// The calls of ours that could get this answer.
    var calls: [ParseErrors.Call] {
        switch request {
        // An account without a name is made by the same call.
        case "POST /users", "POST /users anonymous", "POST /users odd": [.signUp]
        case "POST /users facebook", "POST /users nosuch", "PUT /users/:id facebook": [.identity]
        case "POST /login", "PUT /login": [.logIn]
        case "POST /login mfa", "POST /challenge": [.secondFactor]
        case "GET /users/me", "GET ../users/me": [.session, .token]
        // As the browser's library asks.
        case "POST /users/me": [.session]
        case "POST /logout", "GET /logout", "DELETE /logout": [.session]
        case "GET /sessions", "GET /sessions/me", "GET /sessions/:id", "DELETE /sessions/:id": [.session]
        case "GET /nosuchendpoint", "GET /": [.session]
        case "PUT /users/:id", "PUT /users/me", "PUT /users/:id mfa", "PUT /users/:id anonymous": [.update]
        case "POST /requestPasswordReset", "GET /requestPasswordReset", "POST /verificationEmailRequest": [.mail]
        default: []
        }
    }

    var method: HTTPRequest.Method {
        HTTPRequest.Method(rawValue: String(request.prefix { $0 != " " }))
    }

    /// What the answer holds, read as the answer to a call.
    func payload(_ call: ParseErrors.Call) throws -> JSONObject {
        try ParseErrors.check(response, method: method, call)
    }
}
