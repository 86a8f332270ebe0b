import AuthModel
import Foundation
import JSON
import Transport

/// One line of `answers.ndjson`, in the format that `Tests/Exchanges/README.md` describes.
struct RecordedAnswer {
    let name: String
    let versions: String
    /// The operations that could get this response, and how the client reads the response for each operation.
    let reads: [(operation: AuthModel.Operation, reading: String)]
    let response: HTTPResponse

    static func all(of server: RecordedServer) throws -> [RecordedAnswer] {
        try server.lines(of: "answers.ndjson").map { try RecordedAnswer(JSONValue(parsing: Array($0.utf8)), server) }
    }

    private init(_ line: JSONValue, _ server: RecordedServer) throws {
        name = line["name"]?.string ?? ""
        versions = line["versions"]?.string ?? ""
        reads = (line["reads"]?.object?.members ?? []).compactMap { member in
            let operation = AuthModel.Operation.allCases.first { "\($0)" == member.name }
            return operation.map { ($0, member.value.string ?? "") }
        }
        var headers: HTTPHeaders = ["Content-Type": server.usualType]
        for member in line["headers"]?.object?.members ?? [] { headers[member.name] = member.value.string }
        response = HTTPResponse(
            status: Int(line["status"]?.integer ?? 0), headers: headers, body: Array((line["body"]?.string ?? "").utf8))
    }
}

/// Servers with a folder of responses in `Tests/Exchanges`. All responses are recorded, except those of Kii Cloud.
enum RecordedServer: String, CaseIterable {
    case parse
    case restAuth = "rest-auth"
    case allauth
    case kii
    case pocketbase
    case supabase
    case firebase

    var reader: any RecordingReader {
        switch self {
        case .parse: ParseReader()
        case .restAuth: RestAuthReader()
        case .allauth: AllauthReader()
        case .kii: KiiReader()
        case .pocketbase: PocketBaseReader()
        case .supabase: SupabaseReader()
        case .firebase: FirebaseReader()
        }
    }

    /// The content type of responses that are recorded without a content type.
    fileprivate var usualType: String { self == .parse ? "application/json; charset=utf-8" : "application/json" }

    func lines(of file: String) throws -> [Substring] {
        try Self.text(of: "Exchanges/\(rawValue)/\(file)").split(separator: "\n")
    }

    /// Returns the text of a file below `Tests`.
    static func text(of path: String) throws -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
    }
}
