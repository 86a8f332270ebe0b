import Platform

/// Traces every exchange: method and URL, then status and time. Headers, bodies and queries are never traced.
///
/// It masks the secrets of the request itself, in URL and error message, because it is inside `RedactingTransport`.
package struct TracingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let trace: @Sendable (String) -> Void

    package init(_ inner: any HTTPTransport, trace: @escaping @Sendable (String) -> Void) {
        self.inner = inner
        self.trace = trace
    }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let redactor = SecretRedactor(request.secrets)
        trace("> \(request.method.rawValue) \(redactor.redact(String(request.url.prefix { $0 != "?" })))")
        let start = monotonicNow()
        do throws(TransportError) {
            let response = try inner.send(request)
            let count = (request.reception.sink?.count ?? 0) + response.body.count
            trace("< \(response.status) in \(milliseconds(since: start)) ms, \(count) bytes")
            return response
        } catch {
            trace("< no response in \(milliseconds(since: start)) ms: \(redactor.redact(error.message))")
            throw error
        }
    }

    private func milliseconds(since start: Duration) -> Int64 {
        (monotonicNow() - start).milliseconds
    }
}
