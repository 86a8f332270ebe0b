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

    /// Requests whose responses identify one kind of server.
    private struct Probe {
        let kind: String
        /// The usual mount paths of this kind of server.
        let mounts: [String]
        /// Whether this kind of server has no base path.
        var isOnlyAtOrigin = false
        let checks: [(path: String, isAnswer: @Sendable (ErrorResponse) throws(BackendError) -> Bool)]

        /// Sources: the exchanges `health.ok`, `none/config` and `none/login-get` in `Tests/Exchanges`.
        static let all = [
            // Parse Server allows `/health` without an application id, but rejects `/users/me`.
            Probe(
                kind: "parse", mounts: ["/parse"],
                checks: [
                    ("/health", { $0.status == 200 && $0.body?["status"]?.string != nil }),
                    ("/users/me", { ServerKind($0) == .parse }),
                ]),
            Probe(
                kind: "allauth", mounts: ["/_allauth/app/v1"],
                checks: [
                    (
                        "/config",
                        { $0.body?["status"]?.integer == 200 && $0.body?["data"]?["account"]?.object != nil }
                    )
                ]),
            Probe(
                kind: "rest-auth", mounts: ["/dj-rest-auth", "/api/auth", "/rest-auth"],
                checks: [("/login/", { $0.status == 405 && $0.refusesGET })]),
            Probe(
                kind: "pocketbase", mounts: [""],
                checks: [
                    ("/api/health", { $0.status == 200 && $0.body?["message"]?.string == "API is healthy." }),
                    ("/api/collections/users/auth-methods", PocketBaseErrors.isServer),
                ]),
            // `health` is also a request for Parse.
            Probe(kind: "supabase", mounts: ["/auth/v1"], checks: [("/health", SupabaseErrors.isServer)]),
            Probe(
                kind: "supabase", mounts: ["/auth/v1"],
                checks: [("/health", SupabaseErrors.isGateway), ("/verify", SupabaseErrors.isVerification)]),
            Probe(kind: "firebase", mounts: [""], isOnlyAtOrigin: true, checks: [("/", FirebaseErrors.isEmulator)]),
        ]
    }

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
        if parts.host.hasSuffix(".supabase.co") { return [Found(kind: "supabase", url: url)] }
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
        func answers(_ probe: Probe, at base: String) throws(AuthError) -> Bool {
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
            for probe in Probe.all where try answers(probe, at: base) {
                var own = base
                // allauth's client for browsers requires cookies.
                if probe.kind == "allauth", base.hasSuffix("/browser/v1") {
                    own = base.dropLast("/browser/v1".count) + "/app/v1"
                    guard try answers(probe, at: own) else { throw Self.lacksAppClient }
                }
                found.append(Self.found(probe.kind, at: own))
            }
            if !found.isEmpty { return found }
        }
        for probes in [Probe.all.filter { $0.kind == preferred }, Probe.all] {
            for index in 0..<3 {
                for probe in probes where index < probe.mounts.count {
                    let base = parts.origin + probe.mounts[index]
                    if !bases.contains(base), try answers(probe, at: base) {
                        return [Self.found(probe.kind, at: base, isTyped: false)]
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

    /// The server of a Supabase project is the URL without the path of its Auth server.
    private static func found(_ kind: String, at base: String, isTyped: Bool = true) -> Found {
        let setting = BackendSetting.authPath
        let isMounted = base.hasSuffix(setting.standard ?? "")
        guard kind == "supabase" else { return Found(kind: kind, url: base) }
        guard !isTyped else { return Found(kind: kind, url: base, settings: isMounted ? [:] : [setting.key: "/"]) }
        return Found(kind: kind, url: String(base.dropLast(setting.standard?.count ?? 0)))
    }

    private static let lacksAppClient = AuthError(
        .unsupported, "the site has only allauth's API for browsers, which authctl does not support",
        next: "add 'app' to HEADLESS_CLIENTS in the site's settings")
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

extension ErrorResponse {
    /// Whether Django REST framework refuses a GET: `Method "GET" not allowed.` in any language. Sites may have their own
    /// format of errors.
    fileprivate var refusesGET: Bool {
        let faults = RestAuthFaults(body, masker)
        return ServerKind(self) == .restFramework
            || (faults.texts + faults.fields.map(\.message)).contains { $0.holds("\"GET\"") }
    }
}
