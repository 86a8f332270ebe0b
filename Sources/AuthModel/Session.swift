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
