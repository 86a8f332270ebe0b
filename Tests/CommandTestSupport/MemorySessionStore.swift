package import AuthModel
import Platform
import Synchronization

@testable package import AuthClient

/// Sessions in memory. `SessionStoreContractTests` checks that this store behaves like session files. The journal
/// records all `SessionStore` calls except reads.
package final class MemorySessionStore: SessionStore {
    private struct State {
        var sessions: [SessionKey: StoredSession] = [:]
        var failures: [Operation: AuthError] = [:]
        var unfinished: MemorySessionStore?
        /// Sessions whose lock is held.
        var held: Set<SessionKey> = []
        /// Runs before the next lock is taken.
        var meanwhile: (@Sendable () -> Void)?
        /// Runs before the next removal.
        var beforeRemoval: (@Sendable () -> Void)?
    }

    /// An operation that can be made to fail.
    package enum Operation: Sendable {
        case load, prepare, save, update, remove, lock
        /// Simulates a damaged session: reads fail until a save replaces it or a discard deletes it.
        case read
    }

    package let journal: Journal
    private let state = Mutex(State())
    /// Locked while a session is saved or a profile is removed.
    private let saving = Mutex(())

    package init(_ sessions: [StoredSession] = [], journal: Journal = Journal()) {
        self.journal = journal
        for session in sessions { put(session) }
    }

    /// Adds or replaces a session without an entry in the journal.
    package func put(_ session: StoredSession) {
        state.withLock { $0.sessions[session.key] = session }
    }

    package func fail(_ operation: Operation, with error: AuthError) {
        state.withLock { $0.failures[operation] = error }
    }

    /// Runs `body` once, before the next lock is taken, to simulate another process.
    package func meanwhile(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.meanwhile = body }
    }

    /// Runs `body` once, before the next removal, to simulate another process.
    package func beforeNextRemoval(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.beforeRemoval = body }
    }

    package func drop(_ profile: String) {
        drop { $0.profile == profile }
    }

    private func drop(_ isChosen: (SessionKey) -> Bool) {
        state.withLock { state in
            state.sessions = state.sessions.filter { !isChosen($0.key) }
            state.failures[.read] = nil
        }
    }

    /// The session of a profile, whatever its connection.
    package subscript(profile: String) -> StoredSession? {
        state.withLock { $0.sessions.values.first { $0.profile == profile } }
    }

    package subscript(key: SessionKey) -> StoredSession? { state.withLock { $0.sessions[key] } }

    /// The pending logins. The journal does not record changes to pending logins.
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

    package func load(_ key: SessionKey) throws(AuthError) -> StoredSession? {
        try failIfWanted(.load)
        try failIfDamaged(key)
        return self[key]
    }

    package func list(of profile: String?) throws(AuthError) -> [SavedSession] {
        try failIfWanted(.load)
        return state.withLock { state in
            state.sessions.values.filter { profile == nil || $0.profile == profile }.map { stored in
                SavedSession(
                    profile: stored.profile, fileName: stored.profile,
                    content: state.failures[.read].map(Result.failure) ?? .success(stored))
            }
        }
    }

    package func list(of profile: String, except connection: Connection) throws(AuthError) -> [SavedSession] {
        try list(of: profile).filter { (try? $0.content.get())?.connection != connection }
    }

    package func names(of profile: String, _ connection: Connection) throws(AuthError) -> [String] {
        try failIfWanted(.load)
        return state.withLock { state in
            state.sessions.keys.filter { $0.profile == profile && $0.connection == connection }
                .compactMap(\.name).sorted()
        }
    }

    package func prepare() throws(AuthError) {
        journal.add("store: prepare")
        try failIfWanted(.prepare)
    }

    package func save(
        _ session: StoredSession, after check: () throws(AuthError) -> Void
    ) throws(AuthError) -> [String] {
        journal.add("store: save \(session.session.token.reveal())")
        try failIfWanted(.save)
        return try saving.withLock { _ throws(AuthError) in
            try check()
            let (fitting, dropped) = session.fitted()
            put(fitting)
            state.withLock { $0.failures[.read] = nil }
            return dropped
        }
    }

    package func update(_ session: StoredSession, ifStill token: Secret, patience: Duration) throws(AuthError) {
        journal.add("store: update \(session.session.token.reveal())")
        try failIfWanted(.update)
        try failIfDamaged(session.key)
        state.withLock { state in
            guard state.sessions[session.key]?.session.presentedToken == token else { return }
            state.sessions[session.key] = session
        }
    }

    package func exclusively<Value>(
        _ key: SessionKey, patience: Duration, _ body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        journal.add("store: lock \(key.profile)")
        try failIfWanted(.lock)
        let others = state.withLock { state in
            defer { state.meanwhile = nil }
            return state.meanwhile
        }
        others?()
        let end = monotonicNow() + patience
        while !state.withLock({ $0.held.insert(key).inserted }) {
            guard monotonicNow() < end else { throw AuthError(.locked, "the session is locked") }
            pause(.milliseconds(1))
        }
        defer { state.withLock { _ = $0.held.remove(key) } }
        return try body()
    }

    package func remove(_ key: SessionKey, ifStill token: Secret) throws(AuthError) -> Bool {
        journal.add("store: remove \(token.reveal())")
        let others = state.withLock { state in
            defer { state.beforeRemoval = nil }
            return state.beforeRemoval
        }
        others?()
        try failIfWanted(.remove)
        try failIfDamaged(key)
        return state.withLock { state in
            guard state.sessions[key].map({ $0.session.presentedToken == token }) ?? true else { return false }
            state.sessions[key] = nil
            return true
        }
    }

    package func discard(_ key: SessionKey) throws(AuthError) {
        try discard(key.profile) { $0 == key }
    }

    package func discard(_ saved: SavedSession) throws(AuthError) {
        try discardAll(of: saved.profile)
    }

    package func discardAll(of profile: String) throws(AuthError) {
        try discard(profile) { $0.profile == profile }
    }

    package func removeProfile(
        _ profile: String, after check: () throws(AuthError) -> Void, then remove: () throws(AuthError) -> Void
    ) throws(AuthError) {
        try unfinishedInMemory.saving.withLock { _ throws(AuthError) in
            try saving.withLock { _ throws(AuthError) in
                try check()
                try discardAll(of: profile)
                try remove()
            }
        }
    }

    private func discard(_ profile: String, _ isChosen: (SessionKey) -> Bool) throws(AuthError) {
        journal.add("store: discard \(profile)")
        try failIfWanted(.remove)
        let unfinished = state.withLock { $0.unfinished }
        unfinished?.drop(isChosen)
        drop(isChosen)
    }

    package func profiles() throws(AuthError) -> [String] {
        try failIfWanted(.load)
        return state.withLock { Set($0.sessions.keys.map(\.profile)).sorted() }
    }

    private func failIfDamaged(_ key: SessionKey) throws(AuthError) {
        if self[key] != nil { try failIfWanted(.read) }
    }

    private func failIfWanted(_ operation: Operation) throws(AuthError) {
        if let failure = state.withLock({ $0.failures[operation] }) { throw failure }
    }
}
