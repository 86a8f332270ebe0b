package import AuthClient
package import AuthModel
import Synchronization

/// Sessions in memory. Every change stands in the journal.
package final class MemorySessionStore: SessionStore {
    private struct State {
        var sessions: [String: StoredSession] = [:]
        var failures: [Operation: AuthError] = [:]
        var wasLoose = false
    }

    /// What can be made to fail.
    package enum Operation: Sendable {
        case load, prepare, save, update, remove
        /// The sessions are there, but cannot be read.
        case read
    }

    package let journal: Journal
    private let state = Mutex(State())

    package init(_ sessions: [StoredSession] = [], journal: Journal = Journal()) {
        self.journal = journal
        for session in sessions { put(session) }
    }

    /// Puts a session there before the test begins.
    package func put(_ session: StoredSession) {
        state.withLock { $0.sessions[session.profile] = session }
    }

    package func fail(_ operation: Operation, with error: AuthError) {
        state.withLock { $0.failures[operation] = error }
    }

    /// The next save tells that others could read the files until now.
    package func beLoose() {
        state.withLock { $0.wasLoose = true }
    }

    package subscript(profile: String) -> StoredSession? { state.withLock { $0.sessions[profile] } }

    /// The session of the default profile.
    package var current: StoredSession? { self["default"] }

    package func load(_ profile: String) throws(AuthError) -> StoredSession? {
        try failIfWanted(.load)
        if let stored = self[profile] {
            try failIfWanted(.read)
            return stored
        }
        return nil
    }

    package func token(_ profile: String, for connection: Connection) throws(AuthError) -> LiveToken? {
        guard let stored = try load(profile), stored.connection == connection, let end = stored.session.expiresAt
        else { return nil }
        return LiveToken(token: stored.session.token, expiresAt: end)
    }

    package func prepare() throws(AuthError) {
        journal.add("store: prepare")
        try failIfWanted(.prepare)
    }

    package func save(_ session: StoredSession) throws(AuthError) -> Bool {
        journal.add("store: save \(session.session.token.reveal())")
        try failIfWanted(.save)
        put(session)
        return state.withLock { state in
            defer { state.wasLoose = false }
            return state.wasLoose
        }
    }

    package func update(_ session: StoredSession, ifStill token: Secret, patience: Duration) throws(AuthError) {
        journal.add("store: update \(session.session.token.reveal())")
        try failIfWanted(.update)
        state.withLock { state in
            guard state.sessions[session.profile]?.session.token == token else { return }
            state.sessions[session.profile] = session
        }
    }

    package func remove(_ profile: String, ifStill token: Secret) throws(AuthError) {
        journal.add("store: remove \(token.reveal())")
        try failIfWanted(.remove)
        state.withLock { state in
            guard state.sessions[profile]?.session.token == token else { return }
            state.sessions[profile] = nil
        }
    }

    package func discard(_ profile: String) throws(AuthError) {
        journal.add("store: discard \(profile)")
        try failIfWanted(.remove)
        state.withLock { $0.sessions[profile] = nil }
    }

    package func profiles() throws(AuthError) -> [String] {
        try failIfWanted(.load)
        return state.withLock { $0.sessions.keys.sorted() }
    }

    private func failIfWanted(_ operation: Operation) throws(AuthError) {
        if let failure = state.withLock({ $0.failures[operation] }) { throw failure }
    }
}
