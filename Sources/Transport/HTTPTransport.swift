/// Sends one request and waits for its whole response.
///
/// A response of any status is an answer, not an error. Nothing is retried and no redirect followed here; that is
/// `RetryingTransport`'s and `RedirectingTransport`'s.
package protocol HTTPTransport: Sendable {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}
