import Transport

/// Decides who may use the server: programs, its own pages, and pages of allowed origins.
///
/// Any page in a browser can send requests to 127.0.0.1, and Parse's text/plain form needs no preflight. Therefore a
/// request with another `Origin` is rejected before it is parsed. Another `Host` is a sign of DNS rebinding.
struct RequestGate: Sendable {
    /// Origins that may send requests, such as `http://localhost:3000`.
    private let allowedOrigins: [String]
    /// The values that `Host` may have, lowercase.
    private let hosts: [String]

    /// - Parameter allowedHosts: hosts in addition to loopback: lowercase names, or names with a port.
    init(port: Int, allowedOrigins: [String], allowedHosts: [String] = []) {
        self.allowedOrigins = allowedOrigins
        let names = ["127.0.0.1", "localhost", "[::1]"] + allowedHosts
        // A name with a port is another machine's or a container's port that leads here.
        hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : []) + allowedHosts.filter(\.hasPort)
    }

    /// - Parameters:
    ///   - hosts: all `Host` headers.
    ///   - origins: all `Origin` headers.
    /// - Returns: the response to a request that is not accepted.
    func refusal(hosts: [String], origins: [String]) -> HTTPResponse? {
        guard hosts.count == 1, self.hosts.contains(hosts[0].lowercased()) else { return .foreignHost }
        if origins.isEmpty { return nil }
        // Browsers send the origin of a page with its forms, and leave out the default port in both headers.
        let ownOrigin = "http://\(hosts[0].lowercased())"
        return origins == [ownOrigin] || origins.count == 1 && allowedOrigins.contains(origins[0])
            ? nil : .foreignOrigin
    }
}

extension String {
    /// Whether a port follows the name or the bracketed address.
    var hasPort: Bool { reversed().prefix { $0 != "]" }.contains(":") }
}
