/// Sends one request and waits for its whole response.
///
/// A response of any status is an answer, not an error. The innermost transport sends once; around it stand, from the
/// inside, `TracingTransport`, `RedactingTransport`, `RedirectingTransport` and `RetryingTransport`.
package protocol HTTPTransport: Sendable {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}
