package import AuthModel
package import Platform

/// The session that a command works with.
package struct ActiveSession: Sendable, Equatable {
    package enum Source: String, Sendable {
        case file, environment
    }

    /// Whether the session was refreshed since the command loaded it.
    enum Age: Equatable {
        case asFound
        /// Another process refreshed it. It is used even if it has expired by this machine's clock.
        case refreshedElsewhere
        /// This command refreshed it. If it was already expired then by this machine's clock, the clock is not trusted.
        case refreshed(isGood: Bool)
    }

    package var session: Session
    package var user: User
    package let source: Source
    /// The login method, if it is known.
    var method: AuthMethod?
    var age = Age.asFound

    init(session: Session, user: User, source: Source, method: AuthMethod? = nil) {
        self.session = session
        self.user = user
        self.source = source
        self.method = method
    }

    init(_ stored: StoredSession) {
        self.init(session: stored.session, user: stored.user, source: .file, method: stored.method)
    }

    /// Whether it has expired by this machine's clock.
    func hasExpired(at now: Instant) -> Bool {
        switch age {
        case .asFound, .refreshed(isGood: true): session.hasExpired(at: now)
        case .refreshedElsewhere, .refreshed(isGood: false): false
        }
    }

    /// Whether this command refreshed it and it has not expired since. Refreshing it again would not help.
    func isFresh(at now: Instant) -> Bool {
        if case .refreshed = age { !hasExpired(at: now) } else { false }
    }
}

/// A token and its expiry, for commands that pass it on.
package struct LiveToken: Sendable, Equatable {
    package let token: Secret
    package let expiresAt: Instant?

    package init(token: Secret, expiresAt: Instant?) {
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// A session from the environment. It overrides the saved one.
package struct EnvironmentToken: Sendable {
    package typealias Failure = AuthError

    /// The variable that contains it.
    package let variable: String
    /// Reads the token. Commands that do not use it must not fail if it is invalid.
    package let read: @Sendable () throws(Failure) -> Secret

    package init(variable: String, read: @escaping @Sendable () throws(Failure) -> Secret) {
        self.variable = variable
        self.read = read
    }

    var isUnbound: AuthError {
        AuthError(
            .usage, "the session\(Origin.environment(variable).clause) has no server",
            next: "set AUTHCTL_BACKEND and AUTHCTL_SERVER, or choose a profile with -p")
    }
}
