/// A backend whose server sends a mail that confirms an address.
package protocol EmailVerifying: Backend {
    /// Has the mail sent again.
    ///
    /// - Returns: `false` if there was no need to: the address is confirmed.
    func sendVerification(email: String) throws(AuthError) -> Bool
}
