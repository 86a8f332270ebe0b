import Platform

/// The sender of a request, authenticated by a session token. A class, because requests are copied several times.
final class Caller {
    let token: SessionToken
    let sessionID: String
    /// When the session ends.
    let expiresAt: Instant
    /// The device of the session, if the client named one.
    let installationID: String?
    let user: UserRow
    var identities: [Identity] = []
    /// Whether a request of the caller has ended the session.
    var hasEndedSession = false

    init(_ token: SessionToken, sessionID: String, expiresAt: Instant, installationID: String?, user: UserRow) {
        self.token = token
        self.sessionID = sessionID
        self.expiresAt = expiresAt
        self.installationID = installationID
        self.user = user
    }

    var userID: String { user.id }
}
