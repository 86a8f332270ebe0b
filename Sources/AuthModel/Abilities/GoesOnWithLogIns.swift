/// A backend whose server knows an unfinished sign-up or log-in by a token, until a mailed code ends it.
package protocol GoesOnWithLogIns: EmailVerifying {
    /// Has the mail sent again.
    ///
    /// - Returns: `false` if there was no need to: the address is confirmed. A replacement takes the place of what asked.
    func sendVerification(email: String, as standing: Standing) throws(AuthError) -> Reply<Bool>

    /// Confirms an address with the key of a link, or with a code.
    ///
    /// - Returns: the log-in that was waiting for it; `nil` where somebody has to log in now.
    func verifyEmail(key: String, as standing: Standing) throws(AuthError) -> Reply<LogIn?>
}

/// As whom something is asked.
package enum Standing: Sendable, Equatable {
    case nobody
    case session(Session)
    /// By the token of an unfinished sign-up or log-in.
    case pending(Secret)
}

extension GoesOnWithLogIns {
    package func sendVerification(email: String) throws(AuthError) -> Bool {
        try sendVerification(email: email, as: .nobody).value
    }

    package func verifyEmail(key: String) throws(AuthError) {
        _ = try verifyEmail(key: key, as: .nobody)
    }
}
