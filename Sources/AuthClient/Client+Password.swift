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
            guard error.outcome == .storage, active.session.token != before else {
                throw error.isAfterSuccess ? explainLogIn(error) : explainChange(error.explaining(failure))
            }
            var error = error
            error.message = "the password was changed, but \(error.message)"
            throw error.hinting(afterwards: "log in with the new password: authctl login\(givenOptions)")
        }
        if active.source == .environment, active.session.token != before {
            events.warn("the session from the environment is dead now; log in again for a new one")
        }
        return active.session
    }

    private func explainLogIn(_ error: AuthError) -> AuthError {
        var error = error
        error.hint = "log in with the new password: authctl login\(givenOptions)"
        return error
    }

    private func explainChange(_ error: AuthError) -> AuthError {
        guard error.isUnreadableSuccess else { return error }
        var error = error
        error.hint =
            "the password may be changed: find out by logging in with the new one: authctl login\(givenOptions)"
        return error
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
