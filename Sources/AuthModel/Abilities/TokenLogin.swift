/// A backend that can tell whose session a token is, and for how long.
package protocol TokenLogin: Backend {
    /// Checks a token with the server.
    ///
    /// - Throws: `AuthError` `tokenRefused` if it is none of the server's.
    func logIn(token: Secret) throws(AuthError) -> Reply<LogIn>
}
