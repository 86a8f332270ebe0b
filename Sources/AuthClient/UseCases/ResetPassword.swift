package import AuthModel

extension Client {
    /// Requests the e-mail for a password reset.
    ///
    /// - Returns: `true` if the code in the e-mail requires a token from the server, and this token was saved.
    package func resetPassword(email: String) throws(AuthError) -> Bool {
        let backend = try backends.connect()
        let failure = "cannot reset the password of '\(email)'"
        try requireAddress(email, failure)
        let token = try backends.call("requesting the e-mail", else: failure) { () throws(BackendError) in
            try backend.resetPassword(email: email)
        }
        guard let token else {
            if sessions.pending.resetToken() != nil { sessions.pending.delete() }
            return false
        }
        return sessions.pending.save(token, User(email: email), by: .passwordReset)
    }
}

/// Finishes a password reset with the key from the e-mail.
package struct FinishPasswordReset {
    package struct Result {
        /// The saved session, if the server logs the user in after a reset; otherwise `nil`.
        package let new: NewSession?
        package let sessions: SessionsAfterReset
    }

    private let client: Client
    private let failure = "cannot reset the password"

    package init(_ client: Client) {
        self.client = client
    }

    /// Checks the key before the user enters the new password.
    package func check(_ key: MailKey) throws(AuthError) {
        try client.check(key, failure)
    }

    /// - Parameter address: the e-mail or phone number of the account, for servers whose keys do not identify the
    ///   account.
    package func run(key: MailKey, to new: Secret, of address: String?) throws(AuthError) -> Result {
        let backend = try client.backends.connect()
        try ChangePassword(client).require(new, failure)
        client.warnOfTrimming(new)
        let key = client.sessions.completing(key)
        let pending = client.sessions.pending.resetToken()
        let session: NewSession?
        do throws(AuthError) {
            let outcome = try client.backends.call("resetting the password") { () throws(BackendError) in
                try backend.resetPassword(key: key, to: new, of: address, pending: pending)
            }
            if case .waits(let pending, _) = outcome {
                client.sessions.pending.save(pending.token, User(), by: .passwordReset)
            }
            session = try outcome?.session()
            if pending != nil { client.sessions.pending.delete() }
        } catch {
            let error = error.explaining(failure)
            guard error.reason == .notFound || error.reason == .wrongCode else { throw error }
            let known = address ?? ((try? client.sessions.find()) ?? nil)?.user.email ?? "ADDRESS"
            throw error.suggesting(NextStep("request a new e-mail", run: ["password", "reset"] + .argument(known)))
        }
        if let session {
            // `try?`: if the session file is not writable, `saveOrRevoke` reports the error. An unreadable saved
            // session is replaced, because the key cannot be used again.
            var earlier = (try? client.sessions.prepareToSave()) ?? nil
            // The server has revoked it, which the result says.
            if backend.sessionsAfterReset == .revoked, earlier?.user.id == session.user.id { earlier = nil }
            try client.sessions.saveOrRevoke(
                session, by: .password, replacing: earlier, done: "the password was reset",
                logInAgain: .argument(session.user.displayName ?? client.settings.backend.value.naming.placeholder))
        }
        return Result(new: session, sessions: backend.sessionsAfterReset)
    }
}
