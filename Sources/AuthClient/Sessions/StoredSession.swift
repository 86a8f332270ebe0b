package import AuthModel
package import Platform

/// Identifies a saved session: a profile has at most one session for each connection and session name.
package struct SessionKey: Sendable, Hashable {
    package let profile: String
    /// The session name, see `--as`; `nil` for the profile's own session.
    package var name: String?
    package let connection: Connection

    /// Whether the text is a session name: 1 to 64 ASCII letters, digits, `.`, `_`, `-`, `@` or `+`. The first
    /// character is not `.` or `-`. `me` and `anyone` have a meaning of their own in the tables of `check`.
    package static func isName(_ text: String) -> Bool {
        text.isPlainName(with: "._-@+") && !["me", "anyone"].contains(text)
    }

    /// The option that selects this session name, for a command in a hint.
    ///
    /// - Parameter name: the current session name, which the option overrides.
    package func nameOption(insteadOf name: String?) -> [String] {
        if let own = self.name { return ["--as", own] }
        return name == nil ? [] : ["--as", ""]
    }
}

/// A saved session with its user and its connection.
package struct StoredSession: Sendable, Equatable {
    package let profile: String
    /// The session name; `nil` for the profile's own session.
    package var name: String?
    /// The server and application to which the session may be sent.
    package let connection: Connection
    package var session: Session
    package var user: User
    /// The login method; `nil` if it is unknown, for example for a session that another program created.
    package var method: AuthMethod?
    /// Whether the server has rejected the refresh token. A rejected refresh token is not sent again.
    package var isRefreshRejected = false
    /// The only other base URL to which the session may be sent: the setting `apiURL` at login.
    package var apiURL: String?

    /// Whether the server may renew the session at this time.
    package func isRenewable(by policy: RefreshPolicy, at time: Instant) -> Bool {
        switch policy.means {
        case .nothing: false
        case .refreshToken: session.refreshToken != nil && !isRefreshRejected
        case .token: !session.hasExpired(at: time)
        }
    }

    package var key: SessionKey { SessionKey(profile: profile, name: name, connection: connection) }
}

extension [SavedSession] {
    /// The sessions that can be read, sorted by connection, then by session name. For each connection, the profile's own
    /// session is first.
    package var readable: [StoredSession] {
        compactMap { try? $0.content.get() }
            .sorted { ($0.connection.name, $0.name ?? "") < ($1.connection.name, $1.name ?? "") }
    }

    /// The errors of the sessions that cannot be read.
    package var errors: [AuthError] {
        compactMap { saved in if case .failure(let error) = saved.content { error } else { nil } }
    }
}
