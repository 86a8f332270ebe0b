/// A backend whose server can want a code beside the password; only such a one says `secondFactorRequired`.
package protocol SecondFactor: Backend {
    /// Starts a session with the credentials and a one-time or recovery code.
    ///
    /// - Throws: `AuthError` `wrongCode` if the credentials are right and the code is not.
    func logIn(_ credentials: Credentials, code: Secret) throws(AuthError) -> Reply<LogInOutcome>
}

/// One that can want a code beside a Facebook identity, too.
package protocol FacebookSecondFactor: FacebookLinking {
    /// Starts a session with the identity and a one-time or recovery code.
    ///
    /// - Throws: `AuthError` `wrongCode` if the identity is right and the code is not.
    func logIn(facebook identity: FacebookIdentity, code: Secret) throws(AuthError) -> Reply<LogIn>
}
