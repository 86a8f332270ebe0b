package import AuthModel
import Platform

/// The session that a command uses.
package struct ActiveSession: Sendable, Equatable {
    package enum Source: String, Sendable {
        case file, environment
    }

    /// Whether the session was refreshed since the command loaded it.
    enum Age: Equatable {
        case asFound
        /// Another process refreshed the session. It is used even if it has expired by the local clock.
        case refreshedElsewhere
        /// This command refreshed the session. `isGood` is false if the new session has already expired by the local
        /// clock. Then the clock is not trusted.
        case refreshed(isGood: Bool)
    }

    package var session: Session
    package var user: User
    package let source: Source
    package var method: AuthMethod?
    var isRefreshRejected = false
    /// A second base URL that the session may be sent to, besides the server's.
    var apiURL: String?
    var age = Age.asFound

    init(session: Session, user: User, source: Source, method: AuthMethod? = nil) {
        self.session = session
        self.user = user
        self.source = source
        self.method = method
    }

    init(_ stored: StoredSession) {
        self.init(session: stored.session, user: stored.user, source: .file, method: stored.method)
        isRefreshRejected = stored.isRefreshRejected
        apiURL = stored.apiURL
    }

    package var isRefreshable: Bool { session.refreshToken != nil && !isRefreshRejected }

    /// Whether the session has expired by this machine's clock. Never true if another process refreshed the session,
    /// or if the clock is not trusted.
    func hasExpired(at now: Instant) -> Bool {
        switch age {
        case .asFound, .refreshed(isGood: true): session.hasExpired(at: now)
        case .refreshedElsewhere, .refreshed(isGood: false): false
        }
    }

    /// Whether this command refreshed the session, and it has not expired. Then another refresh would not help.
    func isFresh(at now: Instant) -> Bool {
        if case .refreshed = age { !hasExpired(at: now) } else { false }
    }
}
