package import AuthModel
package import Platform

/// The session that a command works with.
package struct ActiveSession: Sendable, Equatable {
    package enum Source: String, Sendable {
        case file, environment
    }

    /// What happened to it since the command found it.
    enum Age: Equatable {
        case asFound
        /// Another process refreshed it. It is used even if it has expired by the clock of this machine.
        case refreshedElsewhere
        /// This command refreshed it. If it had expired by this machine's clock even then, the clock is not trusted.
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

    /// Whether it has expired by the clock of this machine.
    func hasExpired(at now: Instant) -> Bool {
        switch age {
        case .asFound, .refreshed(isGood: true): session.hasExpired(at: now)
        case .refreshedElsewhere, .refreshed(isGood: false): false
        }
    }

    /// Whether this command refreshed it and it has not expired since: refreshing it again would not help.
    func isFresh(at now: Instant) -> Bool {
        if case .refreshed = age { !hasExpired(at: now) } else { false }
    }
}

/// A token and its expiry, for commands that hand it on.
package struct LiveToken: Sendable, Equatable {
    package let token: Secret
    package let expiresAt: Instant?

    package init(token: Secret, expiresAt: Instant?) {
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// A session that the environment supplies. It overrides the saved one.
package struct EnvironmentToken: Sendable {
    package typealias Failure = AuthError

    /// The variable that supplies it.
    package let variable: String
    /// Reads it. Commands that do not use the token do not fail if it is unusable.
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
