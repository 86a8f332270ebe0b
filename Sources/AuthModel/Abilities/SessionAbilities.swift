package import Platform

/// A backend whose server can list a user's sessions and revoke them one by one.
package protocol SessionListing: Backend {
    /// Lists all sessions of the user, newest first. Requests all pages within the time limit of one request, and
    /// returns at most `SessionSummary.mostListed` sessions.
    func sessions(of session: Session) throws(BackendError) -> Reply<[SessionSummary]>

    /// Revokes one session of the user. Throws `notFound` for an unknown id, or the id of another user's session.
    func endSession(id: String, of session: Session) throws(BackendError) -> Reply<Void>
}

/// A backend whose server can revoke sessions together, without a list of them.
package protocol SessionsEnding: Backend {
    /// Revokes all sessions of the user, or all but this one.
    func endSessions(exceptCurrent: Bool, of session: Session) throws(BackendError) -> Reply<Void>
}

/// One session in a list, without its token.
package struct SessionSummary: Sendable, Equatable {
    /// The maximum number of sessions in a list. Without a limit, a faulty server could return pages endlessly.
    package static let mostListed = 100_000
    /// Parse's `createdWith` for a session that was created with the master key, without the user's password.
    package static let impersonated = "masterkey"

    package var id: String
    /// Whether the list was requested with this session.
    package var isCurrent: Bool
    package var createdAt: Instant?
    package var expiresAt: Instant?
    package var lastSeenAt: Instant?
    /// The login method as the server names it: `password`, `facebook`, `anonymous`, …
    package var createdWith: String?
    package var device: String?
    package var address: String?

    package init(
        id: String, isCurrent: Bool, createdAt: Instant? = nil, expiresAt: Instant? = nil, lastSeenAt: Instant? = nil,
        createdWith: String? = nil, device: String? = nil, address: String? = nil
    ) {
        self.id = id
        self.isCurrent = isCurrent
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastSeenAt = lastSeenAt
        self.createdWith = createdWith
        self.device = device
        self.address = address
    }
}

/// A backend whose login responses lack the session's id and times, and whose servers may extend a session.
package protocol SessionDescribing: Backend {
    /// Returns the session with its id, creation time and expiry.
    ///
    /// - Parameter limit: the time limit of this request; `nil` for the time limit of the transport.
    func describe(_ session: Session, within limit: Duration?) throws(BackendError) -> Session
}

/// A backend whose short-lived sessions can be refreshed with a refresh token.
package protocol SessionRefreshing: Backend {
    /// Requests a new session. Many servers accept each refresh token only once.
    ///
    /// The request is never retried. Only one process at a time may refresh a session, and the new session must be
    /// saved before it is used.
    ///
    /// - Throws: `BackendError` `sessionExpired` if the session has no refresh token; `sessionExpired` or `sessionRevoked`
    ///   if the server rejects the refresh token.
    func refresh(_ session: Session) throws(BackendError) -> Session

    /// Whether the server revoked the refresh token during a refresh, without sending a new one. Called after the new
    /// session is saved.
    ///
    /// - Parameter limit: the time limit of the request.
    func isRevoked(_ refreshToken: Secret, within limit: Duration) -> Bool
}

extension SessionRefreshing {
    package func isRevoked(_ refreshToken: Secret, within limit: Duration) -> Bool { false }
}

/// A backend whose server, depending on its configuration, has one session per account for all devices.
package protocol SessionSharing: Backend {
    /// Whether revoking this session logs out all devices of the user.
    func isShared(_ session: Session) -> Bool
}
