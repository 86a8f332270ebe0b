import AuthBackends
import AuthClient
import AuthModel
import CommandLineKit
import Platform
import Transport

/// Connects a command to servers, with the time limits, CA certificates and proxy from options and environment.
struct Connector: Sendable {
    let world: World
    let globals: GlobalOptions
    let events: TerminalEvents
    let masker: Masker
    /// Whether a bulk command sends the requests. All requests may then reuse connections, because the journal resolves
    /// unknown outcomes of signups and deletions.
    let isBulk: Bool
    /// The time on `World.uptime` at which all requests end; `nil` for a time limit per request.
    var deadline: Duration?

    init(
        world: World, globals: GlobalOptions, events: TerminalEvents, masker: Masker? = nil, isBulk: Bool = false
    ) {
        self.world = world
        self.globals = globals
        self.events = events
        self.masker = masker ?? world.masker
        self.isBulk = isBulk
    }

    private var environment: Environment { world.environment }

    /// The transports to the server in the settings.
    func transports(_ settings: Settings) -> Transports {
        Transports(
            embedded: { () throws(AuthError) in
                traced(
                    try world.embedded(try embeddedFacebook(settings), { [events] in events.warn($0) }),
                    base: EmbeddedAccounts.baseURL)
            },
            network: { url throws(AuthError) in
                if settings.isExposed, let server = settings.connection.server {
                    events.warnOfPlainHTTP(server)
                }
                return transport(to: url, try networkSettings())
            },
            clock: world.clock, masker: masker)
    }

    /// A transport for a base URL and the paths below it. Follows redirects, retries requests if that is safe, and
    /// traces them if `--verbose` is set.
    func transport(to baseURL: String, _ settings: NetworkSettings) -> any HTTPTransport {
        retrying(
            RedirectingTransport(
                traced(world.network(settings, masker), base: baseURL), mount: baseURL, masker: masker),
            settings)
    }

    /// A transport like the result of `transport(to:_:)`, except that redirects are returned as responses.
    func transportWithoutRedirects(to baseURL: String, _ settings: NetworkSettings) -> any HTTPTransport {
        retrying(traced(world.network(settings, masker), base: baseURL), settings)
    }

    /// A transport that follows no redirects and retries no requests.
    func transportOfSingleRequests(to baseURL: String, _ settings: NetworkSettings) -> any HTTPTransport {
        traced(world.network(settings, masker), base: baseURL)
    }

    private func retrying(_ transport: any HTTPTransport, _ settings: NetworkSettings) -> any HTTPTransport {
        let retrying = RetryingTransport(
            transport, timeLimit: settings.timeLimit,
            retryAfter: { [clock = world.clock] in $0.retryAfter(now: clock.now()) }, pause: world.pause,
            notice: { [events, globals] in if globals.isVerbose { events.trace($0) } })
        return deadline == nil ? retrying : retrying.sharingTimeLimit()
    }

    func networkSettings() throws(AuthError) -> NetworkSettings {
        var settings = NetworkSettings()
        settings.alwaysKeepsConnections = isBulk
        if let limit = try timeLimit() { settings.timeLimit = limit }
        if let deadline { settings.timeLimit = max(.zero, deadline - world.uptime()) }
        if let limit = globals.connectLimit { settings.connectLimit = limit }
        settings.authorities = try authorities()
        settings.proxy = try proxy()
        // Lowercase variables take precedence, as in curl.
        settings.hostsWithoutProxy = environment["no_proxy"] ?? environment["NO_PROXY"]
        return settings
    }

    private func authorities() throws(AuthError) -> String? {
        guard let path = globals.authorities ?? environment["AUTHCTL_CA_CERT"] else { return nil }
        guard !world.alwaysTrustsSystem else {
            let source = globals.authorities == nil ? "AUTHCTL_CA_CERT" : "--ca-cert"
            throw AuthError(
                .unsupported,
                "\(source) is not supported on macOS: libcurl there always trusts the keychain, too",
                nextSteps: [
                    NextStep(
                        "add the authority to the keychain: security add-trusted-cert -p ssl \(path.shellQuoted)"),
                    NextStep(source == "--ca-cert" ? "then remove --ca-cert" : "then unset AUTHCTL_CA_CERT"),
                ])
        }
        return path
    }

    /// The time limit from `--timeout` or AUTHCTL_TIMEOUT; `nil` if neither is set.
    func timeLimit() throws(AuthError) -> Duration? {
        if let limit = globals.timeLimit { return limit }
        let variable = "AUTHCTL_TIMEOUT"
        guard let text = environment[variable] else { return nil }
        do throws(ArgumentValueError) {
            return try GlobalOptions.seconds(text)
        } catch {
            throw AuthError(
                .usage, "\(error.message) (from \(variable))", next: "set \(variable) to a number of seconds such as 30"
            )
        }
    }

    private func traced(_ transport: any HTTPTransport, base: String) -> any HTTPTransport {
        guard globals.isVerbose else { return transport }
        return TracingTransport(transport, base: base, masker: masker) { [events] line in events.trace(line) }
    }

    private func proxy() throws(AuthError) -> String? {
        guard let given = globals.proxy else {
            let url = environment["https_proxy"] ?? environment["HTTPS_PROXY"]
            if let end = url?.lastIndex(of: "@"),
                let password = url?[..<end].split(separator: "://").last?.split(separator: ":", maxSplits: 1).last
            {
                world.masker.register(String(password))
                world.masker.register(String(decoding: password.percentDecoded(plusIsSpace: false), as: UTF8.self))
            }
            return url
        }
        guard !given.contains("@") else {
            throw AuthError(
                .usage,
                "the proxy URL (option '--proxy') contains credentials, which other users of this machine can see",
                next: "set HTTPS_PROXY instead")
        }
        return given.isEmpty ? nil : given
    }
}
