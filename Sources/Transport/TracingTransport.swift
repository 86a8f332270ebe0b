import Platform

/// Reports every exchange: method and URL, then status and time; no header, no body, no query, so no secret.
package struct TracingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let trace: @Sendable (String) -> Void

    package init(_ inner: any HTTPTransport, trace: @escaping @Sendable (String) -> Void) {
        self.inner = inner
        self.trace = trace
    }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let url = request.url.prefix { $0 != "?" }
        trace("> \(request.method.rawValue) \(url)")
        let start = monotonicNow()
        do throws(TransportError) {
            let response = try inner.send(request)
            trace("< \(response.status) in \(milliseconds(since: start)) ms, \(response.body.count) bytes")
            return response
        } catch {
            trace("< no answer in \(milliseconds(since: start)) ms: \(error.message)")
            throw error
        }
    }

    private func milliseconds(since start: Duration) -> Int64 {
        (monotonicNow() - start).milliseconds
    }
}
