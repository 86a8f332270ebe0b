/// A backend whose users can change their password.
package protocol PasswordChanging: Backend {
    /// Changes the password of the session's user. Where this ends the session, the reply brings the new one.
    ///
    /// - Throws: `AuthError` `wrongPassword` if `current` is not the password, `weakPassword` if the server refuses
    ///   `new`.
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void>
}
