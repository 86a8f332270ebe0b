/// Decides who may speak to a server on the loopback: programs of this machine, and pages of allowed origins.
///
/// Any page in a browser can send requests to 127.0.0.1, and Parse's text/plain form needs no preflight, so a foreign
/// `Origin` is refused before anything is looked at. A foreign `Host` is a name that somebody made point here.
struct RequestGate: Sendable {
    let port: Int
    /// Origins whose pages may call, such as `http://localhost:3000`.
    let allowedOrigins: [String]

    enum Refusal: Equatable {
        case foreignHost, foreignOrigin

        /// 421 Misdirected Request, RFC 9110 section 15.5.20.
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
    ///   - target: the request target as it was sent: a path; an absolute URL is none of ours.
    ///   - hosts: all `Host` fields.
    ///   - origins: all `Origin` fields.
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
