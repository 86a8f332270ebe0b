import Foundation
import JSON
import Platform
import Synchronization
import Transport

/// A sequence of responses, decoded from bytes. Requests after the last response fail.
///
/// Format of a response: one byte each for status and content type (table indices), then the body. If the second byte
/// is at least 128, the first four bytes of the body are also the value of `Retry-After`. A zero byte separates
/// responses.
final class ScriptedResponses: HTTPTransport {
    private let waiting: Mutex<ArraySlice<HTTPResponse>>
    private let last = Mutex<HTTPRequest?>(nil)

    init(_ bytes: ArraySlice<UInt8>) {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        waiting = Mutex(parts.map { Self.answer($0) }[...])
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        last.withLock { $0 = request }
        guard let answer = waiting.withLock({ $0.popFirst() }) else {
            throw TransportError(.connect, "no more responses")
        }
        return answer
    }

    /// The user's secrets in the header fields and the body of the last request.
    var secretsSent: [String] {
        guard let request = last.withLock(\.self) else { return [] }
        let text =
            request.headers.fields.map(\.value).joined(separator: " ")
            + String(decoding: request.body ?? [], as: UTF8.self)
        return FuzzUser.secrets.filter { text.holds($0) }
    }

    private static let statuses = [
        200, 201, 202, 204, 301, 302, 304, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504,
    ]
    private static let types = ["application/json", nil, "text/html; charset=utf-8", "text/plain", "a/b"]

    private static func answer(_ bytes: ArraySlice<UInt8>) -> HTTPResponse {
        var rest = bytes
        let status = Int(rest.popFirst() ?? 0)
        let type = Int(rest.popFirst() ?? 0)
        var headers: HTTPHeaders = [:]
        if let type = types[type % types.count] { headers["Content-Type"] = type }
        if type >= 128 { headers["Retry-After"] = String(decoding: rest.prefix(4), as: UTF8.self) }
        return HTTPResponse(status: statuses[status % statuses.count], headers: headers, body: Array(rest))
    }

    /// The recorded responses in a server's folder in `Tests/Exchanges`, as bytes.
    static func recorded(_ server: String) throws -> [[UInt8]] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Exchanges/\(server)/answers.ndjson")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let answer = try JSONValue(parsing: line.utf8)
            return bytes(Int(answer["status"]?.integer ?? 200), answer["body"]?.string ?? "")
        }
    }

    static func bytes(_ status: Int, _ body: String) -> [UInt8] {
        // A zero byte would end the response. The index plus `statuses.count` is not 0, and selects the same status.
        [UInt8(statuses.count + (statuses.firstIndex(of: status) ?? 7)), 1] + body.utf8
    }
}
