package import Platform

/// Makes the transports of a command: the innermost transport, with trace, redirects and retries around it.
package struct HTTPStack: Sendable {
    package let settings: NetworkSettings
    /// Whether all requests of a transport share one time limit.
    package let sharesTimeLimit: Bool
    /// Registers the tokens in responses as secrets, and masks secrets in text from the server.
    package let masker: Masker
    /// Provides the current time, for session expiry and for an HTTP-date in `Retry-After`.
    package let clock: WallClock
    package let pause: @Sendable (Duration) -> Void
    /// Receives a line per request and retry; `nil` without `--verbose`.
    package let trace: (@Sendable (String) -> Void)?
    /// Makes one attempt for each request.
    package let innermost: any HTTPTransport

    package init(
        _ innermost: any HTTPTransport, settings: NetworkSettings = .standard, sharesTimeLimit: Bool = false,
        masker: Masker, clock: WallClock, pause: @escaping @Sendable (Duration) -> Void = { Platform.pause($0) },
        trace: (@Sendable (String) -> Void)? = nil
    ) {
        self.innermost = innermost
        self.settings = settings
        self.sharesTimeLimit = sharesTimeLimit
        self.masker = masker
        self.clock = clock
        self.pause = pause
        self.trace = trace
    }

    /// A transport for a base URL and the paths below it. Follows redirects, and retries requests if that is safe.
    package func transport(to base: String) -> any HTTPTransport {
        retrying(RedirectingTransport(transportOfSingleRequests(to: base), mount: base, masker: masker))
    }

    /// A transport like the result of `transport(to:)`, except that redirects are returned as responses.
    package func transportWithoutRedirects(to base: String) -> any HTTPTransport {
        retrying(transportOfSingleRequests(to: base))
    }

    /// A transport that follows no redirects and retries no requests.
    package func transportOfSingleRequests(to base: String) -> any HTTPTransport { traced(innermost, base: base) }

    /// Traces the requests of a transport, if `--verbose` is set.
    package func traced(_ transport: any HTTPTransport, base: String) -> any HTTPTransport {
        guard let trace else { return transport }
        return TracingTransport(inner: transport, base: base, masker: masker, trace: trace)
    }

    private func retrying(_ transport: any HTTPTransport) -> any HTTPTransport {
        let retrying = RetryingTransport(
            transport, timeLimit: settings.timeLimit,
            retryAfter: { [clock] in $0.retryAfter(now: clock.now()) }, pause: pause,
            notice: { [trace] in trace?($0) })
        return sharesTimeLimit ? retrying.sharingTimeLimit() : retrying
    }
}

/// Checks that a file of CA certificates can be used.
///
/// - Parameter read: reads at most the given number of bytes of the file.
package func checkAuthorities(
    at path: String, read: (_ limit: Int) throws(FileError) -> [UInt8]
) throws(TransportError) {
    do throws(FileError) {
        guard String(decoding: try read(16 << 20), as: UTF8.self).holds("-----BEGIN ") else {
            throw FileError(.corrupt, "'\(path)' contains no PEM certificate")
        }
    } catch {
        throw TransportError(
            .unusableSetting, "cannot load the certificate authorities: \(error.message)",
            hint: "set --ca-cert, AUTHCTL_CA_CERT, caCert or SSL_CERT_FILE to a file of PEM certificates")
    }
}
