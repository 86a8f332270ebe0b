package import AuthModel

/// Identifies a saved session: a profile has at most one session for each connection.
package struct SessionKey: Sendable, Hashable {
    package let profile: String
    package let connection: Connection

    package init(profile: String, connection: Connection) {
        self.profile = profile
        self.connection = connection
    }
}

/// A saved session with its user and the connection that it is bound to.
package struct StoredSession: Sendable, Equatable {
    package let profile: String
    /// The only server and application to which the session may be sent.
    package let connection: Connection
    package var session: Session
    package var user: User
    /// The login method; `nil` if it is unknown, as for a session that was created elsewhere.
    package let method: AuthMethod?
    /// Whether the server has rejected the refresh token. It is not sent in a refresh again.
    package var isRefreshRejected: Bool
    /// The only other base URL to which the session may be sent: the setting `apiURL` at login.
    package var apiURL: String?

    package init(
        profile: String, connection: Connection, session: Session, user: User, method: AuthMethod? = nil,
        isRefreshRejected: Bool = false, apiURL: String? = nil
    ) {
        self.profile = profile
        self.connection = connection
        self.session = session
        self.user = user
        self.method = method
        self.isRefreshRejected = isRefreshRejected
        self.apiURL = apiURL
    }

    package var key: SessionKey { SessionKey(profile: profile, connection: connection) }
}
