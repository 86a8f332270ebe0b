import Platform

/// Traces the method and URL of each request, then the status, time and size of its response, or the time and the
/// error. Headers, bodies and queries are never traced.
///
/// The user chose the base URL, so it is shown unmasked. Secrets in the rest of a URL are masked.
package struct TracingTransport: HTTPTransport {
    let inner: any HTTPTransport
    let base: String
    let masker: Masker
    let trace: @Sendable (String) -> Void

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        trace("> \(request.method.rawValue) \(shown(request.url.prefix { $0 != "?" }))")
        let start = monotonicNow()
        do throws(TransportError) {
            let response = try inner.send(request)
            let count = (request.reception.sink?.count ?? 0) + response.body.count
            trace("< \(response.status) in \(milliseconds(since: start)) ms, \(count) bytes")
            return response
        } catch {
            trace("< no response in \(milliseconds(since: start)) ms: \(error.message)")
            throw error
        }
    }

    private func shown(_ url: Substring) -> String {
        url.hasPrefix(base) ? base + masker.mask(String(url.dropFirst(base.count))) : masker.mask(String(url))
    }

    private func milliseconds(since start: Duration) -> Int64 {
        (monotonicNow() - start).milliseconds
    }
}
