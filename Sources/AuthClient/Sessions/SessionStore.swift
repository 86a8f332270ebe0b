package import AuthModel

package struct SavedSession: Sendable {
    package let profile: String
    package let fileName: String
    /// The session, or why it cannot be read.
    package let content: Result<StoredSession, AuthError>
    /// The path of the file if other users can read it; otherwise `nil`.
    package var loosePath: String?
}

/// Stores the sessions of all profiles.
///
/// A session that cannot be read is an error, never `nil`. Otherwise, the next login would overwrite it.
package protocol SessionStore: Sendable {
    func load(_ key: SessionKey) throws(AuthError) -> StoredSession?

    /// Lists the sessions of one profile, or of all profiles if `profile` is nil, for all connections; unordered.
    func list(of profile: String?) throws(AuthError) -> [SavedSession]

    /// Lists the sessions of a profile for all connections except one, unordered. Reads only the listed sessions.
    func list(of profile: String, except connection: Connection) throws(AuthError) -> [SavedSession]

    /// Returns the sorted session names of a profile and connection, without reading session files.
    func names(of profile: String, _ connection: Connection) throws(AuthError) -> [String]

    /// Checks that a session can be saved. Called before a request that creates a session.
    func prepare() throws(AuthError)

    /// Saves the session in place of the earlier one with the same key.
    ///
    /// - Parameter check: called while the lock for saving is held. If it throws, nothing is saved. It must not take
    ///   the lock of the configuration; see `removeProfile`.
    /// - Returns: the fields of the user that are too large or nested too deeply, and were not saved.
    func save(_ session: StoredSession, after check: () throws(AuthError) -> Void) throws(AuthError) -> [String]

    /// Replaces the session with the same key if its `presentedToken` is still `token`.
    ///
    /// - Parameter patience: the longest time to wait for other writers.
    func update(_ session: StoredSession, ifStill token: Secret, patience: Duration) throws(AuthError)

    /// Runs an operation on a session, such as a refresh, in one process at a time.
    ///
    /// `body` may take as long as a request. Other processes can read and write the session in the meantime, so `body`
    /// must load the session again. It must not call this function.
    ///
    /// - Parameter patience: the longest time to wait for other processes.
    /// - Throws: the errors of `body`; `AuthError` `locked` after `patience`, or another error if the lock cannot be
    ///   taken.
    func exclusively<Value>(
        _ key: SessionKey, patience: Duration, _ body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value

    /// Deletes the session if its `presentedToken` is still `token`.
    ///
    /// - Returns: `false` if the file now contains a different session, which is kept.
    @discardableResult
    func remove(_ key: SessionKey, ifStill token: Secret) throws(AuthError) -> Bool

    /// Deletes the session and the unfinished login of a key, even if they cannot be read.
    func discard(_ key: SessionKey) throws(AuthError)

    /// Deletes a session that cannot be read.
    func discard(_ saved: SavedSession) throws(AuthError)

    /// Deletes all sessions of the profile, including unfinished logins.
    func discardAll(of profile: String) throws(AuthError)

    /// Deletes all sessions and unfinished logins of a profile, and then runs `remove`, which removes the profile. No
    /// session can be saved in the meantime, so no session remains without a profile.
    ///
    /// Lock order: unfinished logins, sessions, configuration. `remove` takes the lock of the configuration. A process
    /// that holds the lock of the configuration never waits for the other two locks.
    ///
    /// - Parameter check: called first, while the locks are held. If it throws, nothing is deleted.
    func removeProfile(
        _ profile: String, after check: () throws(AuthError) -> Void, then remove: () throws(AuthError) -> Void
    ) throws(AuthError)

    /// The profiles that have a session, sorted by name.
    func profiles() throws(AuthError) -> [String]

    /// The store of unfinished signups, logins and password resets, at most one per key, separate from the sessions.
    ///
    /// The token of an unfinished login is not a session token: the server accepts it only to complete the login.
    var unfinished: any SessionStore { get }
}

extension SessionStore {
    package func save(_ session: StoredSession) throws(AuthError) -> [String] {
        try save(session) { () throws(AuthError) in }
    }

    /// Waits up to 10 seconds for other writers, because the change must not be lost.
    package func update(_ session: StoredSession, ifStill token: Secret) throws(AuthError) {
        try update(session, ifStill: token, patience: .seconds(10))
    }
}
