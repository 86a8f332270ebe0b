/// Sends one request and waits for its complete response.
///
/// A response with any status is a result, not an error, except for a redirect that `RedirectingTransport` rejects. The
/// innermost transport makes one attempt for each request. `TracingTransport`, `RedirectingTransport` and
/// `RetryingTransport` can wrap it, in this order from the inside out.
package protocol HTTPTransport: Sendable {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse

    /// Returns a transport whose requests, such as those for the pages of a list, share one time limit from now on.
    func sharingTimeLimit() -> any HTTPTransport
}

extension HTTPTransport {
    /// The default: each request keeps its separate time limit.
    package func sharingTimeLimit() -> any HTTPTransport { self }
}

/// Settings for network requests.
package struct NetworkSettings: Sendable, Equatable {
    /// The time limit of one request, including redirects and retries.
    package var timeLimit = Duration.seconds(30)
    /// The time limit for establishing a connection, including TLS.
    package var connectLimit = Duration.seconds(10)
    /// The path of a PEM file with CA certificates. They replace the system's certificates; on macOS, they are added.
    package var authorities: String?
    /// The path of a folder in which OpenSSL finds a CA certificate by the hash of its subject.
    package var authorityFolder: String?
    /// The URL of the proxy for https requests; may contain `user:password@`.
    package var proxy: String?
    /// Hosts that bypass the proxy, in the format of `NO_PROXY`: `a.test,.b.test,10.0.0.0/8` or `*`.
    package var hostsWithoutProxy: String?
    /// Whether requests that are not idempotent also reuse connections. Reuse is faster, but if the server has just
    /// closed the connection, the outcome of the request is unknown.
    package var alwaysKeepsConnections = false

    package static let standard = NetworkSettings()
}
