import Platform

/// Follows redirects of GETs that stay at or below one base URL; any other redirect is an error.
///
/// The whole request goes along unchanged, its secrets with it, so it must not reach another origin, nor another path
/// of the same one: another application may live there. Every other method would be repeated, or would lose its body.
/// Error messages name scheme, host and port of the target only; path, query and user info may repeat a secret.
///
/// 301, 302, 303, 307 and 308 are redirects; 300 and 304 are plain answers. Source: RFC 9110, section 15.4.
package struct RedirectingTransport: HTTPTransport {
    private static let statuses = [301, 302, 303, 307, 308]
    private static let mostHops = 5

    private let inner: any HTTPTransport
    private let mount: URLParts?
    private let clock: @Sendable () -> Duration

    /// - Parameters:
    ///   - mount: the base URL in normal form, as `https://host/parse`; where it can't be read, nothing is followed.
    ///   - clock: time since an unspecified start.
    package init(
        _ inner: any HTTPTransport, mount: String, clock: @escaping @Sendable () -> Duration = { monotonicNow() }
    ) {
        self.inner = inner
        self.mount = URLParts(mount)
        self.clock = clock
    }

    /// The request's time limit is that of all hops together; without one, each has what `inner` is set to.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let start = clock()
        var response = try inner.send(request)
        var hop = request
        var hops = 0
        while Self.statuses.contains(response.status) {
            let target = try target(of: response, to: hop)
            guard hops < Self.mostHops else {
                throw .redirect("more than \(Self.mostHops) redirects, the last to '\(target.origin)'")
            }
            hops += 1
            hop.url = target.address
            hop.timeLimit = request.timeLimit.map { start + $0 - clock() }
            if let left = hop.timeLimit, left <= .zero {
                throw TransportError(.timeout, "no response from '\(target.origin)' in time", wasSent: true)
            }
            response = try follow(hop)
        }
        return response
    }

    /// Once a server has answered, a hop that can't be sent is no request of which nothing was sent.
    private func follow(_ hop: HTTPRequest) throws(TransportError) -> HTTPResponse {
        do throws(TransportError) {
            return try inner.send(hop)
        } catch {
            throw TransportError(error.kind, error.message, hint: error.hint, wasSent: true)
        }
    }

    private func target(of response: HTTPResponse, to request: HTTPRequest) throws(TransportError) -> URLParts {
        let locations = response.headers.values("Location")
        guard let location = locations.first, !location.isEmpty else {
            throw .redirect("the server redirects without a Location (HTTP \(response.status))")
        }
        guard locations.count == 1 else {
            throw .redirect("the server redirects to several locations (HTTP \(response.status))")
        }
        guard let source = URLParts(request.url), let mount, let target = source.resolving(location) else {
            throw .redirect("the server redirects to an invalid URL (HTTP \(response.status))")
        }
        guard target.isSameOrigin(as: source) else {
            throw .redirect(
                "the server redirects to another origin, '\(target.origin)'",
                hint: hint(from: source, to: target))
        }
        guard target.isAtOrBelow(mount), target.userInfo == nil else {
            throw .redirect("the server redirects to a path outside the server URL, on '\(target.origin)'")
        }
        guard request.method == .get else {
            throw .redirect(
                "the server redirects to '\(target.origin)', but authctl does not repeat a \(request.method.rawValue)",
                // Django does so with every path that lacks it.
                hint: target.path == "\(source.path)/" ? "add a slash to the end of the path" : nil)
        }
        return target
    }

    /// Nobody is led from an encrypted connection to one that is not. The path is only told where it is known here.
    private func hint(from source: URLParts, to target: URLParts) -> String? {
        guard target.scheme == "https" || (target.scheme == "http" && source.scheme == "http"), let mount else {
            return nil
        }
        let isSamePath = target.path == mount.path || target.path.hasPrefix("\(mount.path)/")
        guard isSamePath else {
            return
                "if the server has moved there, use --server \(target.origin.shellQuoted)/PATH"
        }
        return "if the server has moved there, use --server \((target.origin + mount.path).shellQuoted)"
    }
}

extension TransportError {
    fileprivate static func redirect(_ message: String, hint: String? = nil) -> TransportError {
        TransportError(.redirect, message, hint: hint, wasSent: true)
    }
}
