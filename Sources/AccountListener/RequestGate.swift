/// Decides who may use the server: programs, its own pages, and pages of allowed origins.
///
/// Any page in a browser can send requests to 127.0.0.1, and Parse's text/plain form needs no preflight. Therefore a
/// request with another `Origin` is rejected before it is parsed. Another `Host` is a sign of DNS rebinding.
struct RequestGate: Sendable {
    let port: Int
    /// Origins that may send requests, such as `http://localhost:3000`.
    let allowedOrigins: [String]
    /// Hosts beside those of loopback: lowercase names, or names with a port.
    var allowedHosts: [String] = []

    enum Refusal: Equatable {
        case foreignHost, foreignOrigin

        /// 421 is Misdirected Request, RFC 9110 section 15.5.20.
        var status: Int {
            switch self {
            case .foreignHost: 421
            case .foreignOrigin: 403
            }
        }

        var text: String {
            switch self {
            case .foreignHost: "this server does not accept requests for this host name"
            case .foreignOrigin: "this origin is not allowed"
            }
        }
    }

    /// - Parameters:
    ///   - target: the request target as sent; it must be a path, not an absolute URL.
    ///   - hosts: all `Host` headers.
    ///   - origins: all `Origin` headers.
    func refusal(target: String, hosts: [String], origins: [String]) -> Refusal? {
        guard target.hasPrefix("/"), !target.hasPrefix("//"), hosts.count == 1, accepts(host: hosts[0].lowercased())
        else { return .foreignHost }
        // Browsers send the origin of a page with its forms, and leave out the default port in both headers.
        let ownOrigin = "http://\(hosts[0].lowercased())"
        guard origins.count <= 1, origins.allSatisfy({ $0 == ownOrigin || allowedOrigins.contains($0) }) else {
            return .foreignOrigin
        }
        return nil
    }

    private func accepts(host: String) -> Bool {
        // A name with a port is another machine's or a container's port that leads here.
        if allowedHosts.contains(host), host.hasPort { return true }
        return isAccepted(host, "127.0.0.1") || isAccepted(host, "localhost") || isAccepted(host, "[::1]")
            || allowedHosts.contains { isAccepted(host, $0) }
    }

    private func isAccepted(_ host: String, _ name: String) -> Bool {
        host.hasPrefix(name) && (host == "\(name):\(port)" || port == 80 && host == name)
    }
}

extension String {
    /// Whether a port follows the name or the bracketed address.
    var hasPort: Bool { reversed().prefix { $0 != "]" }.contains(":") }
}
