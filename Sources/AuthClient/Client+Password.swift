package import AuthModel

extension Client {
    /// Changes the password and keeps the session that the server gives for it.
    package func changePassword(from current: Secret, to new: Secret) throws(AuthError) -> Session {
        let backend = try ability((any PasswordChanging).self, to: "change passwords")
        var active = try activeSession()
        let failure = "cannot change the password"
        if settings.backend.value.checksNewAccounts, let fault = AccountChecks.passwordFault(new) {
            throw AuthError(.weakPassword, "\(failure): the new \(fault.field) \(fault.message)", fields: [fault])
        }
        if active.source == .file { try store.prepare() }
        warnOfTrimming(current, new)
        var before = active.session.token
        do throws(AuthError) {
            try ask("changing the password", with: &active) { session throws(AuthError) in
                before = session.token
                return try backend.changePassword(from: current, to: new, of: session)
            }
        } catch {
            // Storage only fails here when the new session is kept: the password is changed by then.
            guard error.outcome == .storage, active.session.token != before else { throw error.explaining(failure) }
            throw error.explaining("the password was changed, but the new session could not be kept")
                .hinting("once that is fixed, log in with the new password: authctl login\(givenOptions)")
        }
        if active.source == .environment, active.session.token != before {
            events.warn("the session from the environment is dead now; log in again for a new one")
        }
        return active.session
    }

    /// Has the mail sent that lets somebody choose a new password.
    package func resetPassword(email: String) throws(AuthError) {
        let backend = try ability((any PasswordResetting).self, to: "reset passwords")
        do throws(AuthError) {
            try during("asking for the mail") { () throws(AuthError) in try backend.resetPassword(email: email) }
        } catch {
            throw error.explaining("cannot reset the password of '\(email)'")
        }
    }

    /// Confirms an address with the key of its mail.
    package func verifyEmail(key: String) throws(AuthError) {
        let backend = try ability((any EmailVerifying).self, to: "verify e-mails")
        do throws(AuthError) {
            try during("confirming the address") { () throws(AuthError) in try backend.verifyEmail(key: key) }
        } catch {
            let error = error.explaining("cannot confirm the address")
            guard error.reason == .notFound else { throw error }
            throw error.hinting("have a new mail sent: authctl verify-email\(givenOptions) --email ADDRESS")
        }
    }

    /// Has the mail sent that confirms an address.
    ///
    /// - Parameter email: `nil` for that of the user who is logged in.
    /// - Returns: the address, and whether a mail was sent: not to one that is confirmed already.
    package func sendVerification(email: String?) throws(AuthError) -> (email: String, wasSent: Bool) {
        let backend = try ability((any EmailVerifying).self, to: "verify e-mails")
        let address = if let email { email } else { try activeSession().user.email }
        guard let address else {
            throw AuthError(.usage, "the account has no e-mail that is known here", hint: "name it with --email")
        }
        do throws(AuthError) {
            return try during("asking for the mail") { () throws(AuthError) in
                (address, try backend.sendVerification(email: address))
            }
        } catch {
            throw error.explaining("cannot have a mail sent to '\(address)'")
        }
    }

    /// Says of passwords with white space around them that the server takes no account of it, where that is so.
    func warnOfTrimming(_ passwords: Secret...) {
        guard settings.backend.value.trimsPasswords, passwords.contains(where: \.hasSpaceAround) else { return }
        events.warn("the server strips the white space around this password: it is the same without")
    }
}

extension Secret {
    fileprivate var hasSpaceAround: Bool {
        let scalars = reveal().unicodeScalars
        return [scalars.first, scalars.last].contains { $0?.properties.isWhitespace ?? false }
    }
}
