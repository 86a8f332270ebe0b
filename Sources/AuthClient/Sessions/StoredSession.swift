package import AuthModel

/// A session as it is kept: whose it is, and where alone it may be sent.
package struct StoredSession: Sendable, Equatable {
    package let profile: String
    /// What it is bound to.
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

/// Keeps at most one session a profile.
///
/// A session that cannot be read is an error, never "no session": what is taken for absent would be overwritten.
package protocol SessionStore: Sendable {
    func load(_ profile: String) throws(AuthError) -> StoredSession?

    /// Makes sure, before a server is asked for a session, that one could be kept.
    func prepare() throws(AuthError)

    /// Keeps the session in the place of the profile's earlier one.
    ///
    /// - Returns: whether others could read the earlier one, or the folder, until now.
    func save(_ session: StoredSession) throws(AuthError) -> Bool

    /// Changes the profile's session, if it still is the one with that token.
    ///
    /// - Parameter patience: how long to wait for other writers.
    func update(_ session: StoredSession, ifStill token: Secret, patience: Duration) throws(AuthError)

    /// Does what only one process at a time may do with the profile's session, such as renewing it.
    ///
    /// It may take as long as a request. Neither readers nor writers are kept away meanwhile, only others who ask for
    /// the same; so `body` reads the session anew, and never asks for this again.
    ///
    /// - Parameter patience: how long to wait for others.
    /// - Throws: what `body` throws; before that `AuthError` `locked` after that time, or why there is no lock.
    func exclusively<Value>(
        _ profile: String, patience: Duration, _ body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value

    /// Forgets the profile's session, if it still is the one with that token.
    func remove(_ profile: String, ifStill token: Secret) throws(AuthError)

    /// Forgets whatever is kept for the profile, be it damaged, also of an unfinished log-in.
    func discard(_ profile: String) throws(AuthError)

    /// The profiles that have a session, in the order of their names.
    func profiles() throws(AuthError) -> [String]

    /// Where what is known of unfinished sign-ups and log-ins is kept, at most one a profile, apart from the sessions.
    ///
    /// The token of one is none of a session: the server takes it only to be told the rest.
    var unfinished: any SessionStore { get }
}

extension SessionStore {
    /// The same, with the patience that a change deserves that must not be lost.
    package func update(_ session: StoredSession, ifStill token: Secret) throws(AuthError) {
        try update(session, ifStill: token, patience: .seconds(10))
    }
}
