/// Sends one request and waits for its complete response.
///
/// A response of any status is a result, not an error. The innermost transport sends once. It is wrapped, from the
/// inside out, in `TracingTransport`, `RedirectingTransport` and `RetryingTransport`.
package protocol HTTPTransport: Sendable {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse

    /// Returns a transport whose requests share the time limit of one, counted from now, as the pages of a list do.
    func sharingTimeLimit() -> any HTTPTransport
}

extension HTTPTransport {
    /// For transports without a time limit.
    package func sharingTimeLimit() -> any HTTPTransport { self }
}

/// Settings for requests to hosts.
package struct NetworkSettings: Sendable, Equatable {
    /// The limit of one request from start to end, including redirects and retries.
    package var timeLimit: Duration
    /// The limit until the connection is established, including TLS.
    package var connectLimit: Duration
    /// The path of a PEM file of authorities that replace the system's.
    package var authorities: String?
    /// The URL of the proxy for https requests; may contain `user:password@`.
    package var proxy: String?
    /// Hosts that bypass the proxy, in the format of `NO_PROXY`: `a.test,.b.test` or `*`.
    package var hostsWithoutProxy: String?
    /// Whether even a request that is not idempotent uses a kept connection: faster, but if the server has just closed the
    /// connection, the outcome of the request is unknown.
    package var alwaysKeepsConnections = false

    package init(
        timeLimit: Duration = .seconds(30), connectLimit: Duration = .seconds(10), authorities: String? = nil,
        proxy: String? = nil, hostsWithoutProxy: String? = nil
    ) {
        self.timeLimit = timeLimit
        self.connectLimit = connectLimit
        self.authorities = authorities
        self.proxy = proxy
        self.hostsWithoutProxy = hostsWithoutProxy
    }
}
