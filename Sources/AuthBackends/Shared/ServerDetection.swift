package import AuthModel
package import Platform
package import Transport

/// Detects the kind of server at or near a URL.
///
/// Sends at most 16 GET requests, only to the origin of the URL, and without keys, tokens or cookies.
package struct ServerDetection {
    /// A detected server, with the backend kind for it.
    package struct Found: Sendable, Equatable {
        /// The backend kind, as in `BackendDescriptor.kind`.
        package let kind: String
        package let url: String
        /// The settings that this server needs, by key.
        package let settings: [String: String]
        /// Whether a gateway in front of the server has refused a request without a client key.
        package var needsClientKey = false

        package init(kind: String, url: String, settings: [String: String] = [:]) {
            self.kind = kind
            self.url = url
            self.settings = settings
        }
    }

    /// The transport to the origin. It follows no redirects and retries no requests.
    private let transport: any HTTPTransport
    private let uptime: @Sendable () -> Duration
    private let masker: Masker

    package init(_ transport: any HTTPTransport, uptime: @escaping @Sendable () -> Duration, masker: Masker) {
        self.transport = transport
        self.uptime = uptime
        self.masker = masker
    }

    /// The time limit for all requests together.
    package static let timeLimit = Duration.seconds(10)
    private static let mostRequests = 16

    /// Probes the URL, then its parent path, then the usual mount paths. Stops at the first of them that has a server.
    ///
    /// - Parameters:
    ///   - url: a URL in the normal form of `ServerURL`.
    ///   - preferred: the kind whose usual mount paths are probed before those of others.
    /// - Returns: the detected servers, one for each kind; empty if no server was detected.
    /// - Throws: `AuthError` if the first request got no response, or if no server was detected and a later request got
    ///   no response in time.
    package func run(at url: String, preferring preferred: String? = nil) throws(AuthError) -> [Found] {
        guard let parts = URLParts(url) else { return [] }
        if let kind = BackendRegistry.detected.first(where: { $0.isService(url) })?.descriptor().kind {
            return [Found(kind: kind, url: url)]
        }
        let all = BackendRegistry.detected.flatMap { $0.probes() }
        let end = uptime() + Self.timeLimit
        var requests = 0
        var failure: TransportError?
        var moved: String?
        var known: [String: ErrorResponse] = [:]
        func response(_ path: String, at base: String) throws(AuthError) -> ErrorResponse? {
            let target = base + path
            if let response = known[target] { return response }
            let timeLeft = end - uptime()
            guard requests < Self.mostRequests else { return nil }
            guard timeLeft > .zero else {
                failure = TransportError(
                    .timeout, "the server at '\(parts.origin)' did not respond to all requests in time")
                return nil
            }
            requests += 1
            var request = HTTPRequest(.get, target, headers: ["Accept": "application/json"])
            request.timeLimit = timeLeft
            do throws(TransportError) {
                let response = try transport.send(request)
                moved = moved ?? response.newBase(of: path, at: base)
                known[target] = ErrorResponse(
                    ServerResponse(response, to: request, .callAPI, at: Instant(milliseconds: 0), masker))
                return known[target]
            } catch {
                guard requests > 1 else { throw AuthError(error) }
                failure = error
                return nil
            }
        }
        func answers(_ probe: ServerProbe, at base: String) throws(AuthError) -> Bool {
            guard !probe.isOnlyAtOrigin || base == parts.origin else { return false }
            for (path, isAnswer) in probe.checks {
                guard let response = try response(path, at: base) else { return false }
                do throws(BackendError) {
                    guard try isAnswer(response) else { return false }
                } catch {
                    throw error.shown
                }
            }
            return true
        }
        var bases = [url]
        // An origin is rarely a base URL, so it is not probed as the parent path.
        let folder = url.lastIndex(of: "/").map { String(url[..<$0]) }
        if let folder, folder.hasPrefix("\(parts.origin)/") { bases.append(folder) }
        for base in bases {
            var found: [Found] = []
            for probe in all where !probe.isLast {
                guard !found.contains(where: { $0.kind == probe.kind }), try answers(probe, at: base) else { continue }
                var own = base
                if let (path, better) = probe.preferred, base.hasSuffix(path) {
                    own = base.dropLast(path.count) + better
                    if try !answers(probe, at: own) { own = base }
                }
                found.append(probe.found(at: own, isTyped: true))
            }
            if !found.isEmpty { return found }
        }
        for probes in [all.filter { $0.kind == preferred }, all.filter { !$0.isLast }, all.filter(\.isLast)] {
            for index in 0..<3 {
                for probe in probes where index < probe.mounts.count {
                    let base = parts.origin + probe.mounts[index]
                    if probe.isLast || !bases.contains(base), try answers(probe, at: base) {
                        return [probe.found(at: base, isTyped: false)]
                    }
                }
            }
        }
        if let moved {
            throw AuthError(
                .redirect, "the server redirects to '\(moved)'", next: NextStep("use --server \(moved.shellQuoted)"))
        }
        if let failure { throw AuthError(failure) }
        return []
    }
}

/// Requests whose responses identify one kind of server.
struct ServerProbe: Sendable {
    let kind: String
    /// The usual mount paths of this kind of server.
    let mounts: [String]
    /// Whether this kind of server has no base path.
    var isOnlyAtOrigin = false
    /// Whether a server of another kind, at any mount path, takes precedence.
    var isLast = false
    var needsClientKey = false
    let checks: [(path: String, isAnswer: @Sendable (ErrorResponse) throws(BackendError) -> Bool)]
    /// The end of the URL of an API, and that of the API to use instead if the server has it.
    var preferred: (path: String, by: String)?
    /// What to save for a base URL that answers, unless that is the URL alone.
    var place: (@Sendable (_ base: String, _ isTyped: Bool) -> ServerDetection.Found)?

    func found(at base: String, isTyped: Bool) -> ServerDetection.Found {
        var found = place?(base, isTyped) ?? ServerDetection.Found(kind: kind, url: base)
        found.needsClientKey = needsClientKey
        return found
    }
}

extension HTTPResponse {
    /// The base URL after a redirect that keeps the path below it, for example to https or to a language prefix.
    fileprivate func newBase(of path: String, at base: String) -> String? {
        guard (301...308).contains(status), status != 304, let location = headers["Location"],
            let target = URLParts(base + path)?.resolving(location), target.address.hasSuffix(path)
        else { return nil }
        return String(target.address.dropLast(path.count))
    }
}
