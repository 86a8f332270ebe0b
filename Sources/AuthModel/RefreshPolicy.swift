package import Platform

/// How a kind of server renews sessions.
package struct RefreshPolicy: Sendable, Equatable {
    /// What the server exchanges for a new session.
    package enum Means: Sendable {
        case nothing
        case refreshToken
        /// The token of the session, in the second half of its life. Once it has expired, it cannot be renewed.
        case token
    }

    package let means: Means
    /// Whether the server tells an expired session from a revoked one.
    package let tellsExpiry: Bool
    /// Whether the refresh token of a session that the server has revoked may be valid.
    private let renewsRevoked: Bool

    package init(_ means: Means, tellsExpiry: Bool = false, renewsRevoked: Bool = true) {
        self.means = means
        self.tellsExpiry = tellsExpiry
        self.renewsRevoked = renewsRevoked
    }

    /// Whether a session that the server rejects for this reason is renewed.
    package func renews(after reason: AuthError.Reason) -> Bool {
        means == .refreshToken && (renewsRevoked || reason != .sessionRevoked)
    }

    /// How long before its end a session is renewed: 10 s or a tenth of its life, the smaller. A session that is renewed
    /// with its own token is renewed when less time is left than has passed.
    package func reserve(of session: Session, at now: Instant) -> Duration {
        let start = session.createdAt ?? now
        func life(until end: Instant) -> Duration { .milliseconds(max(0, end.milliseconds &- start.milliseconds)) }
        if means == .token { return life(until: now) }
        return min(.seconds(10), (JWT(session.presentedToken)?.life ?? life(until: session.expiresAt ?? start)) / 10)
    }
}
