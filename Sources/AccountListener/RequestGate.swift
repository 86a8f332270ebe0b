import Transport

/// Decides which requests the server accepts: from programs, from its own pages, and from pages of allowed origins.
///
/// Any web page can send requests to 127.0.0.1, and a Parse request of type text/plain needs no preflight. A request
/// from any other `Origin` is therefore rejected before its body is parsed. A request with an unknown `Host` is
/// rejected because it may result from DNS rebinding.
struct RequestGate: Sendable {
    /// Origins that may send requests, such as `http://localhost:3000`.
    private let allowedOrigins: [String]
    /// The accepted values of `Host`, lowercase.
    private let hosts: [String]

    /// - Parameter allowedHosts: accepted hosts in addition to loopback, lowercase, each with or without a port.
    init(port: Int, allowedOrigins: [String], allowedHosts: [String] = []) {
        self.allowedOrigins = allowedOrigins
        let names = ["127.0.0.1", "localhost", "[::1]"] + allowedHosts
        // An allowed host may contain a different port: the port of a container or machine that forwards requests.
        hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : []) + allowedHosts.filter(\.hasPort)
    }

    /// - Parameters:
    ///   - hosts: the values of all `Host` headers.
    ///   - origins: the values of all `Origin` headers.
    /// - Returns: the response that rejects the request; `nil` if the request is accepted.
    func refusal(hosts: [String], origins: [String]) -> HTTPResponse? {
        guard hosts.count == 1, self.hosts.contains(hosts[0].lowercased()) else { return .foreignHost }
        if origins.isEmpty { return nil }
        // Forms on the server's pages send this origin. Browsers omit port 80 in `Host` and `Origin`, so both agree.
        let ownOrigin = "http://\(hosts[0].lowercased())"
        return origins == [ownOrigin] || origins.count == 1 && allowedOrigins.contains(origins[0])
            ? nil : .foreignOrigin
    }
}

extension String {
    /// Whether a port follows the host name or the bracketed IPv6 address.
    var hasPort: Bool { reversed().prefix { $0 != "]" }.contains(":") }
}
