package import AuthClient
package import AuthModel
import Platform
import Synchronization

/// Sessions in memory. `SessionStoreContractTests` checks that it behaves like the files. The journal records every
/// change.
package final class MemorySessionStore: SessionStore {
    private struct State {
        var sessions: [String: StoredSession] = [:]
        var failures: [Operation: AuthError] = [:]
        var wasReadableByOthers = false
        var unfinished: MemorySessionStore?
        /// Profiles whose lock is held.
        var held: Set<String> = []
        /// Runs before the next lock is taken.
        var meanwhile: (@Sendable () -> Void)?
    }

    /// An operation that can be made to fail.
    package enum Operation: Sendable {
        case load, prepare, save, update, remove, lock
        /// The current sessions are damaged: a save replaces them, a discard deletes them.
        case read
    }

    package let journal: Journal
    private let state = Mutex(State())

    package init(_ sessions: [StoredSession] = [], journal: Journal = Journal()) {
        self.journal = journal
        for session in sessions { put(session) }
    }

    /// Adds a session before the test begins.
    package func put(_ session: StoredSession) {
        state.withLock { $0.sessions[session.profile] = session }
    }

    package func fail(_ operation: Operation, with error: AuthError) {
        state.withLock { $0.failures[operation] = error }
    }

    /// Runs once, before the next lock is taken, as another process would.
    package func meanwhile(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.meanwhile = body }
    }

    package func drop(_ profile: String) {
        state.withLock { state in
            state.sessions[profile] = nil
            state.failures[.read] = nil
        }
    }

    /// The next save reports that other users could read the sessions until now.
    package func beLoose() {
        state.withLock { $0.wasReadableByOthers = true }
    }

    package subscript(profile: String) -> StoredSession? { state.withLock { $0.sessions[profile] } }

    /// The journal does not record its changes; they show in the steps of the session.
    package var unfinished: any SessionStore { unfinishedInMemory }

    package var unfinishedInMemory: MemorySessionStore {
        state.withLock { state in
            if let store = state.unfinished { return store }
            let store = MemorySessionStore()
            state.unfinished = store
            return store
        }
    }

    /// The session of the default profile.
    package var current: StoredSession? { self["default"] }

    package func load(_ profile: String) throws(AuthError) -> StoredSession? {
        try failIfWanted(.load)
        try failIfDamaged(profile)
        return self[profile]
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
            state.failures[.read] = nil
            defer { state.wasReadableByOthers = false }
            return state.wasReadableByOthers
        }
    }

    package func update(_ session: StoredSession, ifStill token: Secret, patience: Duration) throws(AuthError) {
        journal.add("store: update \(session.session.token.reveal())")
        try failIfWanted(.update)
        try failIfDamaged(session.profile)
        state.withLock { state in
            guard state.sessions[session.profile]?.session.token == token else { return }
            state.sessions[session.profile] = session
        }
    }

    package func exclusively<Value>(
        _ profile: String, patience: Duration, _ body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        journal.add("store: lock \(profile)")
        try failIfWanted(.lock)
        let others = state.withLock { state in
            defer { state.meanwhile = nil }
            return state.meanwhile
        }
        others?()
        let end = monotonicNow() + patience
        while !state.withLock({ $0.held.insert(profile).inserted }) {
            guard monotonicNow() < end else { throw AuthError(.locked, "the session is locked") }
            pause(.milliseconds(1))
        }
        defer { state.withLock { _ = $0.held.remove(profile) } }
        return try body()
    }

    package func remove(_ profile: String, ifStill token: Secret) throws(AuthError) {
        journal.add("store: remove \(token.reveal())")
        try failIfWanted(.remove)
        try failIfDamaged(profile)
        state.withLock { state in
            guard state.sessions[profile]?.session.token == token else { return }
            state.sessions[profile] = nil
        }
    }

    package func discard(_ profile: String) throws(AuthError) {
        journal.add("store: discard \(profile)")
        try failIfWanted(.remove)
        let unfinished = state.withLock { $0.unfinished }
        unfinished?.drop(profile)
        drop(profile)
    }

    package func profiles() throws(AuthError) -> [String] {
        try failIfWanted(.load)
        return state.withLock { $0.sessions.keys.sorted() }
    }

    private func failIfDamaged(_ profile: String) throws(AuthError) {
        if self[profile] != nil { try failIfWanted(.read) }
    }

    private func failIfWanted(_ operation: Operation) throws(AuthError) {
        if let failure = state.withLock({ $0.failures[operation] }) { throw failure }
    }
}
