/// A backend whose sessions are short and can be renewed with a refresh token.
package protocol SessionRefreshing: Backend {
    /// Buys the session that takes the place of this one, whose `refreshToken` is spent by it at many servers.
    ///
    /// Sent once and never repeated. Only one process at a time may do so for a session, and what it gets must be
    /// stored before it is used.
    ///
    /// - Throws: `AuthError` `sessionExpired` if the server does not take the refresh token (any more), or there is none.
    func refresh(_ session: Session) throws(AuthError) -> Session
}
