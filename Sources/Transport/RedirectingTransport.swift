package import Platform

/// Follows a redirect of a GET request if the new URL is at or below the base URL. Any other redirect is an error.
///
/// The redirected request carries the same secrets. Therefore it must not reach another origin, or a path outside the
/// base URL, where a different application may be mounted. Redirects of other methods are not followed, because such a
/// request must not be repeated. Error messages show only the target's origin, because the rest may be secret.
///
/// 301, 302, 303, 307 and 308 are redirects; 300 and 304 are ordinary responses. Source: RFC 9110, section 15.4.
package struct RedirectingTransport: HTTPTransport {
    private static let mostHops = 5

    private let inner: any HTTPTransport
    private let mount: String
    private let masker: Masker
    private let clock: @Sendable () -> Duration

    /// - Parameters:
    ///   - mount: the base URL in normal form, such as `https://host/parse`. If it is invalid, no redirect is followed.
    ///   - masker: masks secrets in the origins of redirects, which are untrusted text.
    ///   - clock: returns the time since an unspecified start.
    package init(
        _ inner: any HTTPTransport, mount: String, masker: Masker = Masker(),
        clock: @escaping @Sendable () -> Duration = { monotonicNow() }
    ) {
        self.inner = inner
        self.mount = mount
        self.masker = masker
        self.clock = clock
    }

    /// The request's time limit covers all hops, unless the request has a stall limit. If the request has no time
    /// limit, each hop has the limit of `inner`.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let start = clock()
        var response = try inner.send(request)
        var hop = request
        var hops = 0
        while request.followsRedirects, response.isRedirect, !response.asksForLogin(hop) {
            let target = try target(of: response, to: hop)
            guard hops < Self.mostHops else {
                throw .redirect("more than \(Self.mostHops) redirects, the last to '\(target.origin)'")
            }
            hops += 1
            hop.url = target.address
            if request.stallLimit == nil { hop.timeLimit = request.timeLimit.map { start + $0 - clock() } }
            if let left = hop.timeLimit, left <= .zero {
                throw TransportError(.timeout, "no response from '\(target.origin)' in time", wasSent: true)
            }
            response = try follow(hop)
        }
        return response
    }

    /// Follows a redirect. Errors have `wasSent` set, because the server has received the first request.
    private func follow(_ hop: HTTPRequest) throws(TransportError) -> HTTPResponse {
        do throws(TransportError) {
            return try inner.send(hop)
        } catch {
            throw TransportError(
                error.kind, error.message, hints: error.hints, wasSent: true, isFinal: error.isFinal)
        }
    }

    private func target(of response: HTTPResponse, to request: HTTPRequest) throws(TransportError) -> URLParts {
        guard let location = response.headers["Location"], !location.isEmpty else {
            throw .redirect("the server redirects without a Location (HTTP \(response.status))")
        }
        guard let source = URLParts(request.url), let mount = URLParts(mount), let target = source.resolving(location)
        else {
            throw .redirect("the server redirects to an invalid URL (HTTP \(response.status))")
        }
        guard target.isSameOrigin(as: source) else {
            throw .redirect(
                "the server redirects to another origin, '\(masker.mask(target.origin))'",
                hint: hint(from: source, to: target))
        }
        guard target.isAtOrBelow(mount), target.userInfo == nil else {
            throw .redirect("the server redirects to a path outside the server URL, on '\(target.origin)'")
        }
        guard request.method == .get else {
            let message =
                "the server redirects to '\(target.origin)', but authctl does not repeat a \(request.method.rawValue)"
            guard target.path == "\(source.path)/" else { throw .redirect(message) }
            throw TransportError(.missingSlash, message, hint: "add a slash to the end of the path", wasSent: true)
        }
        return target
    }

    /// Suggests a base URL at the target's origin, but never http in place of https. `PATH` stands for an unknown path.
    private func hint(from source: URLParts, to target: URLParts) -> String? {
        guard target.scheme == "https" || (target.scheme == "http" && source.scheme == "http"),
            let mount = URLParts(mount)
        else {
            return nil
        }
        let origin = masker.mask(target.origin)
        let isSamePath = target.path == mount.path || target.path.hasPrefix("\(mount.path)/")
        guard isSamePath else {
            return "if the server has moved there, use --server \(origin.shellQuoted)/PATH"
        }
        return "if the server has moved there, use --server \((origin + mount.path).shellQuoted)"
    }
}

extension HTTPResponse {
    package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Whether the response redirects to the login form: at `loginPath`, or at another path with the requested one in
    /// its query, as `?next=/orders/`. Source: Django 5.2, `redirect_to_login`.
    package func asksForLogin(_ request: HTTPRequest) -> Bool {
        guard let loginPath = request.loginPath, isRedirect, let source = URLParts(request.url),
            let target = headers["Location"].flatMap(source.resolving), target.isSameOrigin(as: source)
        else { return false }
        let asked = source.path + (source.query.map { "?\($0)" } ?? "")
        let values = (target.query ?? "").split { $0 == "&" }.map { pair in
            String(pair.drop { $0 != "=" }.dropFirst()).percentDecoded
        }
        return !loginPath.isEmpty && target.path == loginPath
            || values.contains { $0 == asked.percentDecoded || $0 == request.url }
    }
}

extension TransportError {
    fileprivate static func redirect(_ message: String, hint: String? = nil) -> TransportError {
        TransportError(.redirect, message, hint: hint, wasSent: true)
    }
}
