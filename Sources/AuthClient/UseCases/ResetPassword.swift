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

    /// - Parameters:
    ///   - address: the e-mail or phone number of the account, for servers whose keys do not identify the account.
    ///   - code: the code of the account's second factor, if the user specified one.
    ///   - askCode: called if the server then requires the code; returns `nil` if no terminal is available.
    package func run(
        key: MailKey, to new: Secret, of address: String?, code: Secret? = nil,
        askCode: () throws(AuthError) -> Secret? = { () throws(AuthError) in nil }
    ) throws(AuthError) -> Result {
        let backend = try client.backends.connect()
        try ChangePassword(client).require(new, failure)
        client.warnOfTrimming(new)
        let key = client.sessions.completing(key)
        let pending = client.sessions.pending.resetToken()
        /// Saves the token of a reset whose key is used up, so that the next command needs no other key.
        func keep(_ outcome: LogInOutcome?) -> (step: Pending.Step, token: Secret)? {
            guard case .waits(let pending, _) = outcome, let token = pending.token else { return nil }
            client.sessions.pending.save(token, User(), by: .passwordReset)
            return (pending.step, token)
        }
        func reset(_ pending: Secret?) throws(AuthError) -> LogInOutcome? {
            try client.backends.call("resetting the password") { () throws(BackendError) in
                try backend.resetPassword(key: key, to: new, of: address, pending: pending)
            }
        }
        let session: NewSession?
        do throws(AuthError) {
            var outcome = try reset(pending)
            if let (step, token) = keep(outcome), step == .secondFactor,
                let code = if let code { code } else { try askCode() }
            {
                outcome = try reset(keep(try resume(token, code, backend))?.token)
                _ = keep(outcome)
            }
            session = try outcome?.session()
            if client.sessions.pending.resetToken() != nil { client.sessions.pending.delete() }
        } catch {
            let error = error.explaining(failure)
            guard !error.isAfterSuccess, error.reason == .notFound || error.reason == .wrongCode else {
                throw error.reason == .wrongCode
                    ? error.suggesting("run the command again with the same link or code, and another --otp CODE")
                    : error
            }
            let known = address ?? ((try? client.sessions.find()) ?? nil)?.user.email ?? "ADDRESS"
            throw error.suggesting(NextStep("request a new e-mail", run: ["password", "reset"] + .argument(known)))
        }
        if let session {
            // `try?`: if the session file is not writable, `saveOrRevoke` reports the error. An unreadable saved
            // session is replaced, because the key cannot be used again.
            let earlier = (try? client.sessions.prepareToSave()) ?? nil
            try client.sessions.saveOrRevoke(
                session, by: .password, replacing: earlier, done: "the password was reset",
                logInAgain: .argument(session.user.displayName ?? client.settings.backend.value.naming.placeholder))
        }
        return Result(new: session, sessions: backend.sessionsAfterReset)
    }

    /// Sends the code of the second factor.
    private func resume(_ token: Secret, _ code: Secret, _ backend: any Backend) throws(AuthError) -> LogInOutcome {
        do throws(AuthError) {
            return try client.backends.call("checking the code") { () throws(BackendError) in
                try backend.resume(token, code: code).value
            }
        } catch {
            // The key was right, so no other e-mail counts.
            var error = error
            error.isAfterSuccess = true
            throw error
        }
    }
}
