/// A backend that makes accounts for somebody who does not say who they are.
package protocol AnonymousLogin: Backend {
    /// Makes an account and starts its session; without the session there is no way back in.
    ///
    /// - Parameter identity: a name that nobody else will think of.
    func logInAnonymously(identity: String) throws(AuthError) -> Reply<LogIn>
}
