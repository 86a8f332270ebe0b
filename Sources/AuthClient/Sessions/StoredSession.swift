package import AuthModel

/// A saved session with its user and the connection that it is bound to.
package struct StoredSession: Sendable, Equatable {
    package let profile: String
    /// The only server and application to which the session may be sent.
    package let connection: Connection
    package var session: Session
    package var user: User
    /// The login method; `nil` if it is unknown, as for a session that was created elsewhere.
    package let method: AuthMethod?

    package init(profile: String, connection: Connection, session: Session, user: User, method: AuthMethod? = nil) {
        self.profile = profile
        self.connection = connection
        self.session = session
        self.user = user
        self.method = method
    }
}

/// Stores at most one session per profile.
///
/// A session that cannot be read is an error, never `nil`: otherwise the next login would overwrite it.
package protocol SessionStore: Sendable {
    func load(_ profile: String) throws(AuthError) -> StoredSession?

    /// Checks, before a login request, that a session can be saved.
    func prepare() throws(AuthError)

    /// Saves the session in place of the profile's earlier one.
    ///
    /// - Returns: whether other users could read the earlier one, or the folder, until now.
    func save(_ session: StoredSession) throws(AuthError) -> Bool

    /// Replaces the profile's session if its token still is `token`.
    ///
    /// - Parameter patience: how long to wait for other writers.
    func update(_ session: StoredSession, ifStill token: Secret, patience: Duration) throws(AuthError)

    /// Runs an operation on the profile's session, such as a refresh, in one process at a time.
    ///
    /// It may take as long as a request. Reading and writing the session stay possible meanwhile. So `body` must load
    /// the session again, and must not call this function.
    ///
    /// - Parameter patience: how long to wait for other processes.
    /// - Throws: the errors of `body`; `AuthError` `locked` after `patience`, or why the lock cannot be taken.
    func exclusively<Value>(
        _ profile: String, patience: Duration, _ body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value

    /// Deletes the profile's session if its token still is `token`.
    func remove(_ profile: String, ifStill token: Secret) throws(AuthError)

    /// Deletes all files of the profile, even damaged ones, including an unfinished login.
    func discard(_ profile: String) throws(AuthError)

    /// The profiles that have a session, sorted by name.
    func profiles() throws(AuthError) -> [String]

    /// The store of unfinished signups and logins, at most one per profile, separate from the sessions.
    ///
    /// The token of an unfinished login is not a session token: the server accepts it only to complete the login.
    var unfinished: any SessionStore { get }
}

extension SessionStore {
    /// Waits long for other writers, because the change must not be lost.
    package func update(_ session: StoredSession, ifStill token: Secret) throws(AuthError) {
        try update(session, ifStill: token, patience: .seconds(10))
    }
}
