import Synchronization
import Testing
import Transport

/// A transport that expects certain requests in order, and records what was sent.
final class AnswerScript: HTTPTransport {
    /// An expected request, `METHOD PATH`, and its response.
    struct Answer: Sendable {
        let request: String
        let status: Int
        let body: String
        let headers: HTTPHeaders

        init(_ request: String, _ status: Int, _ body: String, _ headers: HTTPHeaders = [:]) {
            (self.request, self.status, self.body, self.headers) = (request, status, body, headers)
        }

        init(_ request: String, _ body: String, _ headers: HTTPHeaders = [:]) {
            self.init(request, 200, body, headers)
        }
    }

    private let answers: Mutex<[Answer]>
    private let sent = Mutex<[HTTPRequest]>([])
    private let path: @Sendable (_ url: String) -> String

    /// - Parameter path: the path of a URL as in `Answer.request`.
    init(_ answers: [Answer], path: @escaping @Sendable (_ url: String) -> String) {
        self.answers = Mutex(answers)
        self.path = path
    }

    /// The expected requests that were not sent.
    var rest: [String] { answers.withLock { $0.map(\.request) } }
    var requests: [HTTPRequest] { sent.withLock { $0 } }
    var bodies: [String] { requests.map { String(decoding: $0.body ?? [], as: UTF8.self) } }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        sent.withLock { $0.append(request) }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let line = "\(request.method.rawValue) \(path(request.url))"
        guard let answer, answer.request == line else {
            Issue.record("unexpected \(line)")
            throw TransportError(.connect, "no answer")
        }
        return HTTPResponse(
            status: answer.status,
            headers: HTTPHeaders(
                [HTTPHeaders.Field(name: "Date", value: "Fri, 02 Jan 2026 03:05:05 GMT")] + answer.headers.fields),
            body: Array(answer.body.utf8))
    }
}
