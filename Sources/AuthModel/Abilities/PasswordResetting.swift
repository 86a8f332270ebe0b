/// A backend whose server sends a mail that lets somebody choose a new password.
package protocol PasswordResetting: Backend {
    /// Has the mail sent. Most servers say the same whether or not somebody has that address.
    func resetPassword(email: String) throws(AuthError)
}
