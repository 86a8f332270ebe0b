import AuthModel
import Synchronization
package import Transport

/// One request, as text, and its response or error.
package struct Exchange: Sendable {
    /// The text of the request in the form of `HTTPRequest.wireText`.
    package let request: String
    package let answer: Result<HTTPResponse, TransportError>

    package init(_ request: String, _ status: Int, _ body: String, headers: HTTPHeaders = [:]) {
        self.request = request
        answer = .success(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    package init(_ request: String, _ error: TransportError) {
        self.request = request
        answer = .failure(error)
    }
}

/// Responds to the expected requests in their order. The test fails on any other request, and on expected requests
/// that are not sent.
package final class ReplayingTransport: HTTPTransport {
    private let expected: Mutex<[Exchange]>

    package init(_ exchanges: Exchange...) {
        expected = Mutex(exchanges)
    }

    package func expect(_ exchanges: Exchange...) {
        expected.withLock { $0 += exchanges }
    }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let text = request.wireText
        guard let exchange = expected.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            complain("unexpected request:\n\(text)")
            throw TransportError(.connect, "the test has no response")
        }
        if exchange.request != text {
            complain("expected:\n\(exchange.request)\nsent:\n\(text)")
            throw TransportError(.connect, "the test has no response")
        }
        return try passOn(try exchange.answer.get(), request.reception)
    }

    /// Passes a 2xx response to the sink of a streamed request, unless the request sets `holdsSuccess`.
    private func passOn(_ response: HTTPResponse, _ reception: Reception) throws(TransportError) -> HTTPResponse {
        guard case .streamed(let sink, holdsSuccess: false) = reception, (200..<300).contains(response.status) else {
            return response
        }
        var head = response
        head.body = []
        guard sink.begin(head), response.body.withUnsafeBytes(sink.write) else {
            throw TransportError(.stream, "cannot pass on the response", wasSent: true, isFinal: true)
        }
        return head
    }

    deinit {
        for exchange in expected.withLock({ $0 }) { complain("request not sent:\n\(exchange.request)") }
    }
}

extension HTTPRequest {
    /// The request as text: method and URL, one line per header, then an empty line and the body if there is a body.
    package var wireText: String {
        let head = ["\(method.rawValue) \(url)"] + headers.fields.map { "\($0.name): \($0.value)" }
        let text = head.joined(separator: "\n")
        // `try?`: other tests cover sources that fail.
        let body = bodySource.map { (try? $0.bytes(limit: 1 << 20)) ?? [] } ?? body
        return body.map { "\(text)\n\n\(String(decoding: $0, as: UTF8.self))" } ?? text
    }
}
