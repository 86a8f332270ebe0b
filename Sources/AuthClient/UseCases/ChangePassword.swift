package import AuthModel

/// Changes the password and saves the new session, if the server issues one.
package struct ChangePassword: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// Whether an account may have no password, so that its first one can be set.
    package var mayLackPassword: Bool { client.settings.backend.value.has(.setsFirstPassword) }

    /// - Parameters:
    ///   - current: `nil` only if `mayLackPassword`.
    ///   - code: the code that the server has sent for the change.
    /// - Returns: the session; `nil` if the server has revoked it, and the login with the new password failed.
    package func run(from current: Secret?, to new: Secret, code: Secret? = nil) throws(AuthError) -> Session? {
        let backend = try client.backends.connect()
        if code != nil, !mayLackPassword {
            throw AuthError(
                .unsupported, "backend '\(client.settings.backendName)' needs no code for a password change",
                next: "remove --otp")
        }
        var active = try sessions.current()
        try require(new, failure)
        if active.source == .file { try sessions.requireWritable() }
        client.warnOfTrimming(current ?? new, new)
        var before = active.session.token
        let pending: Pending?
        do throws(AuthError) {
            pending = try sessions.send("changing the password", with: &active) { session throws(BackendError) in
                before = session.token
                return try backend.changePassword(PasswordChange(from: current, to: new, code: code), of: session)
            }
        } catch {
            if error.isAfterSuccess, error.outcome != .storage {
                try deleteRevoked(active)
                client.events.warn(error.message, next: logInAgain(active))
                return nil
            }
            // A storage error after the token has changed means that only saving failed: the password has been changed.
            guard error.outcome == .storage, active.session.token != before else {
                throw completing(error, active.user)
            }
            var error = error
            error.message = "the password was changed, but \(error.message)"
            throw error.suggesting(afterwards: logInAgain(active))
        }
        if let pending {
            try deleteRevoked(active)
            warn(of: pending, active)
            return nil
        }
        if active.source == .environment, active.session.token != before {
            client.events.warn("the session from the environment is no longer valid: log in for a new one")
        }
        return active.session
    }

    private func deleteRevoked(_ active: ActiveSession) throws(AuthError) {
        if active.source == .file { try sessions.deleteRevoked(active.session, done: "the password was changed") }
    }

    private func logInAgain(_ active: ActiveSession) -> NextStep {
        NextStep("log in with the new password", run: client.settings.logInCommand(again: active.user))
    }

    /// Tells what the login with the new password waits for. If that is a code that the server sends, begins the login.
    private func warn(of pending: Pending, _ active: ActiveSession) {
        guard pending.step != .emailVerification else {
            return client.events.warn(
                "all sessions have ended, and the new login failed: \(pending.error.message)", next: logInAgain(active))
        }
        var step = logInAgain(active)
        // `try?`: the password is changed, even if the code cannot be sent: another login sends it.
        if pending.token != nil, let login = active.user.email ?? active.user.displayName,
            (try? LogIn(client).wait(for: pending, of: login)) != nil
        {
            step = NextStep("log in with the code that the server sends", run: ["login", "--otp", "CODE"])
        }
        client.events.warn("all sessions have ended, and a new login requires a second factor", next: step)
    }

    /// Checks the current password before the user enters the new one. Does nothing if the backend cannot check it.
    ///
    /// - Throws: `AuthError` `wrongPassword` if the current password is wrong.
    package func verify(_ current: Secret) throws(AuthError) {
        var active = try sessions.current()
        guard let backend = try client.backends.connect() as? any PasswordProving else { return }
        do throws(AuthError) {
            let user = active.user
            try sessions.send("checking the password", with: &active) { session throws(BackendError) in
                try backend.prove(current, of: user, session)
            }
        } catch {
            // The password is right, although a login needs a code, too.
            guard error.reason != .secondFactorRequired else { return }
            throw completing(error, active.user)
        }
    }

    func require(_ new: Secret, _ failure: String) throws(AuthError) {
        guard let fault = fault(of: new) else { return }
        throw AuthError(.weakPassword, "\(failure): the new \(fault.field) \(fault.message)", fields: [fault])
    }

    /// Returns the fault that client-side checks find in a new password; `nil` if there is no fault or no such check.
    package func fault(of new: Secret) -> FieldFault? {
        client.settings.backend.value.has(.checksNewAccounts) ? AccountChecks.passwordFault(new) : nil
    }

    private let failure = "cannot change the password"

    private func completing(_ error: AuthError, _ user: User) -> AuthError {
        let error = error.explaining(failure)
        guard error.isUnreadableSuccess else { return error }
        return error.replacingSteps(
            with: NextStep(
                "the password may be changed; to check, log in with the new one",
                run: client.settings.logInCommand(again: user)))
    }
}
