/// Decides who may use the loopback server: local programs, and pages of allowed origins.
///
/// Any page in a browser can send requests to 127.0.0.1, and Parse's text/plain form needs no preflight. Therefore a
/// request with another `Origin` is rejected before it is parsed. Another `Host` is a sign of DNS rebinding.
struct RequestGate: Sendable {
    let port: Int
    /// Origins that may send requests, such as `http://localhost:3000`.
    let allowedOrigins: [String]

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
            case .foreignHost: "this server accepts requests for localhost only"
            case .foreignOrigin: "this origin is not allowed"
            }
        }
    }

    /// - Parameters:
    ///   - target: the request target as sent; it must be a path, not an absolute URL.
    ///   - hosts: all `Host` headers.
    ///   - origins: all `Origin` headers.
    func refusal(target: String, hosts: [String], origins: [String]) -> Refusal? {
        guard target.hasPrefix("/"), !target.hasPrefix("//"), hosts.count == 1, names.contains(hosts[0].lowercased())
        else { return .foreignHost }
        guard origins.count <= 1, origins.allSatisfy(allowedOrigins.contains) else { return .foreignOrigin }
        return nil
    }

    private var names: [String] {
        let bare = ["localhost", "127.0.0.1", "[::1]"]
        return bare.map { "\($0):\(port)" } + (port == 80 ? bare : [])
    }
}
