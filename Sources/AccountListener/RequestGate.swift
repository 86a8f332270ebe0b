import Platform
import Transport

/// Decides which requests the server accepts: from programs, from its own pages, and from pages of allowed origins.
///
/// Any web page can send requests to 127.0.0.1, and a Parse request of type text/plain needs no preflight. A request
/// from any other `Origin` is therefore rejected before its body is parsed. A request with an unknown `Host` is
/// rejected because it may result from DNS rebinding.
struct RequestGate: Sendable {
    /// Why a request is rejected.
    struct Refusal: Sendable, Equatable {
        let status: Int
        /// Names the host or origin and, if there is one, the option that allows it.
        let text: String
    }

    private let port: Int
    /// Origins that may send requests, such as `http://localhost:3000`.
    private let allowedOrigins: [String]
    /// The accepted values of `Host` besides loopback, lowercase.
    private let hosts: [String]

    /// - Parameter allowedHosts: accepted hosts in addition to loopback, lowercase, each with or without a port.
    init(port: Int, allowedOrigins: [String], allowedHosts: [String] = []) {
        self.port = port
        self.allowedOrigins = allowedOrigins
        // An allowed host may contain a different port: the port of a container or machine that forwards requests.
        hosts =
            allowedHosts.map { "\($0):\(port)" } + (port == 80 ? allowedHosts : []) + allowedHosts.filter(\.hasPort)
    }

    /// - Parameters:
    ///   - hosts: the values of all `Host` headers.
    ///   - origins: the values of all `Origin` headers.
    /// - Returns: `nil` if the request is accepted.
    func refusal(hosts: [String], origins: [String]) -> Refusal? {
        guard hosts.count == 1 else { return Refusal(status: 421, text: "the request must have one Host field") }
        let host = hosts[0].lowercased()
        guard isLoopback(host) || self.hosts.contains(host) else { return foreignHost(host) }
        if origins.isEmpty { return nil }
        // Forms on the server's pages send this origin. Browsers omit port 80 in `Host` and `Origin`, so both agree.
        let isAllowed = origins == ["http://\(host)"] || origins.count == 1 && allowedOrigins.contains(origins[0])
        return isAllowed ? nil : Self.foreignOrigin(origins[0])
    }

    /// Whether the value is `localhost`, a name such as `app.localhost`, 127.0.0.1 or `[::1]`, with the server's port.
    private func isLoopback(_ host: String) -> Bool {
        let name = host.hasSuffix(":\(port)") ? host.dropLast(":\(port)".count) : port == 80 ? host[...] : ""
        let text = String(name)
        if ["127.0.0.1", "localhost", "[::1]"].contains(text) { return true }
        return IPAddress.isLocalhost(text) && URLParts("http://\(text)")?.host == text
    }

    /// 421 is Misdirected Request, RFC 9110 section 15.5.20.
    private func foreignHost(_ host: String) -> Refusal {
        let isName = URLParts("http://\(host)")?.origin == "http://\(host)"
        let name = host.hasSuffix(":\(port)") ? String(host.dropLast(":\(port)".count)) : host
        let option = isName && (host.hasPort || port == 80) ? "--allow-host \(name.shellQuoted)" : nil
        return Refusal(421, "host '\(host)'", option)
    }

    private static func foreignOrigin(_ origin: String) -> Refusal {
        let parts = URLParts(origin)
        let isWebOrigin = parts?.origin == origin && ["http", "https"].contains(parts?.scheme ?? "")
        return Refusal(403, "origin '\(origin)'", isWebOrigin ? "--allow-origin \(origin.shellQuoted)" : nil)
    }
}

extension RequestGate.Refusal {
    fileprivate init(_ status: Int, _ subject: String, _ option: String?) {
        let step = option.map { "; to allow it, start authctl serve with \($0)" } ?? ""
        self.init(status: status, text: "\(subject.start(300)) is not allowed\(step)")
    }
}

extension String {
    /// Whether a port follows the host name or the bracketed IPv6 address.
    var hasPort: Bool { reversed().prefix { $0 != "]" }.contains(":") }
}
