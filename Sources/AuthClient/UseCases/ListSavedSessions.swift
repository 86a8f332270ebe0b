package import AuthModel
package import Platform
import Synchronization

/// A saved session of any profile.
package struct SavedSessionState: Sendable {
    package let stored: StoredSession
    package let state: SessionState.State
    package let expiresAt: Instant?
    /// Why the session is not valid, or could not be checked; `nil` if it was not to be checked.
    package let error: AuthError?
}

/// Lists the saved sessions of all profiles, and checks them side by side.
package struct ListSavedSessions: Sendable {
    package typealias Failure = AuthError

    private let checks: Bool
    private let events: any Events
    private let client: @Sendable (StoredSession) throws(Failure) -> Client

    /// - Parameters:
    ///   - checks: whether to ask the servers.
    ///   - client: makes the client of a session.
    package init(
        checks: Bool, _ events: any Events, client: @escaping @Sendable (StoredSession) throws(Failure) -> Client
    ) {
        self.checks = checks
        self.events = events
        self.client = client
    }

    /// - Parameter progressed: receives the number of the sessions that are done, and of all.
    /// - Returns: the sessions, sorted by profile and connection.
    package func run(
        _ saved: [SavedSession], progressed: @escaping @Sendable (Int, Int) -> Void
    ) -> [SavedSessionState] {
        let stored = saved.readable.sorted { $0.profile < $1.profile }
        let work = Mutex((next: 0, states: [Int: SavedSessionState]()))
        @Sendable func runThread() {
            while true {
                let index = work.withLock { work in
                    work.next += 1
                    return work.next - 1
                }
                guard index < stored.count else { return }
                let state = state(of: stored[index])
                let done = work.withLock { work in
                    work.states[index] = state
                    return work.states.count
                }
                progressed(done, stored.count)
            }
        }
        return events.during("checking sessions") {
            // If no other thread can be started, the current thread does all the work.
            let threads = checks ? min(32, stored.count) : 1
            let others = (1..<max(1, threads)).compactMap { _ in NativeThread { runThread() } }
            runThread()
            for thread in others { thread.join() }
            return work.withLock { work in stored.indices.compactMap { work.states[$0] } }
        }
    }

    private func state(of stored: StoredSession) -> SavedSessionState {
        do throws(AuthError) {
            let user = CurrentUser(try client(stored))
            let found = try checks ? user.check(savesUser: false) : user.offline()
            return SavedSessionState(
                stored: stored, state: found.state, expiresAt: (found.active?.session ?? stored.session).expiresAt,
                error: checks ? found.error : nil)
        } catch {
            // A session of a removed profile has no client, and the state after a failed check is unknown.
            return SavedSessionState(
                stored: stored, state: checks ? .unknown : .stored, expiresAt: stored.session.expiresAt,
                error: checks ? error : nil)
        }
    }
}
