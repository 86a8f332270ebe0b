/// A backend whose server sends a mail that confirms an address.
package protocol EmailVerifying: Backend {
    /// Has the mail sent again.
    ///
    /// - Returns: `false` if there was no need to: the address is confirmed.
    func sendVerification(email: String) throws(AuthError) -> Bool

    /// Whether the server says what it did. Others say the same of any address, so that nobody learns who has an account.
    var tellsOfMails: Bool { get }

    /// Confirms an address with the key of its mail.
    ///
    /// - Throws: `AuthError` `notFound` if the key is unknown, used or has run out.
    func verifyEmail(key: String) throws(AuthError)
}

extension EmailVerifying {
    package var tellsOfMails: Bool { true }
}
