import AuthModel
import Platform

/// The session that a command uses: a stored session, or one from the environment, and its source.
@dynamicMemberLookup
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

    package var stored: StoredSession
    package let source: Source
    var age = Age.asFound

    init(_ stored: StoredSession, from source: Source = .file) {
        self.stored = stored
        self.source = source
    }

    package subscript<Member>(dynamicMember member: WritableKeyPath<StoredSession, Member>) -> Member {
        get { stored[keyPath: member] }
        set { stored[keyPath: member] = newValue }
    }

    /// Whether the session has expired by this machine's clock. Never true if another process refreshed the session,
    /// or if the clock is not trusted.
    func hasExpired(at now: Instant) -> Bool {
        switch age {
        case .asFound, .refreshed(isGood: true): stored.session.hasExpired(at: now)
        case .refreshedElsewhere, .refreshed(isGood: false): false
        }
    }

    /// Whether this command refreshed the session, and it has not expired. Then another refresh would not help.
    func isFresh(at now: Instant) -> Bool {
        if case .refreshed = age { !hasExpired(at: now) } else { false }
    }
}
