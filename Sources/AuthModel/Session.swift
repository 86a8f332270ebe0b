package import Platform

/// A log-in that the server accepts until it ends, is revoked or expires.
package struct Session: Sendable, Equatable {
    package var token: Secret
    /// What buys a new token, where the server gives one.
    package var refreshToken: Secret?
    /// The server's id of the session, where it has one; never the token.
    package var id: String?
    package var createdAt: Instant?
    /// `nil`: it does not expire, or the server does not say when.
    package var expiresAt: Instant?
    /// What this command had before it: never sent nor stored again, but servers may repeat it.
    package var earlierTokens: [Secret?] = []

    package init(
        token: Secret, refreshToken: Secret? = nil, id: String? = nil, createdAt: Instant? = nil,
        expiresAt: Instant? = nil
    ) {
        self.token = token
        self.refreshToken = refreshToken
        self.id = id
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Its tokens and the earlier ones: no response may show them.
    package var tokens: [Secret?] { [token, refreshToken] + earlierTokens }

    package func hasExpired(at now: Instant) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}

/// The server and application that a profile talks to, and that a session is bound to.
///
/// Two connections are the same only if every part is: a session is never sent to another host, port, scheme, mount
/// path, application or kind of backend than the one that gave it.
package struct Connection: Sendable, Hashable {
    /// A `BackendDescriptor.kind`.
    package let backend: String
    /// The base URL in its normal form (scheme and host in lower case, no default port, no final slash), mount path
    /// included; `nil` for the embedded accounts.
    package let server: String?
    /// Which application of that server, where it has several.
    package let appID: String?

    package init(backend: String, server: String? = nil, appID: String? = nil) {
        self.backend = backend
        self.server = server
        self.appID = appID
    }
}
