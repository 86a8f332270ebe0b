import AuthModel

extension RestAuthBackend {
    /// Checks the current password with a login, because only some sites check it during a password change.
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(BackendError) -> Reply<Void> {
        try tryPassword(current, of: session)
        _ = try send(endpoints.changePassword(from: current, to: new, session), .changePassword)
        return Reply(())
    }

    private func tryPassword(_ password: Secret, of session: Session) throws(BackendError) {
        do throws(BackendError) {
            try tryLogIn(password, of: session)
        } catch {
            // The site sends this error only after it accepts the password.
            if error.reason == .emailUnverified { return }
            guard error.reason == .wrongPassword else { throw error }
            var error = error
            error.message = "the current password is wrong"
            throw error
        }
    }

    /// Tries to log in with the name of the last login; without one, with the username, then with the e-mail address if
    /// the site accepts only addresses.
    private func tryLogIn(_ password: Secret, of session: Session) throws(BackendError) {
        if let name = session.loginName { return revokeUnshared(try grant(endpoints.logIn(name, password), .logIn)) }
        let user = try user(session, .currentUser)
        var names = [user.username.map(LoginName.username), user.email.map(LoginName.email)].compactMap { $0 }
        guard !names.isEmpty else { throw .namesNoUser() }
        while !names.isEmpty {
            do throws(BackendError) {
                return revokeUnshared(try grant(endpoints.logIn(names.removeFirst(), password), .logIn))
            } catch {
                guard error.reason == .invalidFields, !names.isEmpty else { throw error }
            }
        }
    }

    /// Revokes the session in a response if it is a JWT session. A key is not revoked, because all devices share it.
    func revokeUnshared(_ grant: RestAuthPayloads.Grant) {
        guard case .session(let session, _) = grant, !isShared(session) else { return }
        // `try?`: if the logout fails, the session remains valid only until it expires.
        _ = try? logOut(session)
    }
}

extension RestAuthBackend {
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        _ = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
        return nil
    }

    /// Source: Django, `SetPasswordForm.save`, which does not delete keys.
    var sessionsAfterReset: SessionsAfterReset { .kept }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> NewSession? {
        let (uid, token) = try key.userAndToken(masker)
        _ = try send(endpoints.resetPassword(uid: uid, token: token, to: new), .finishPasswordReset)
        return nil
    }
}

extension RestAuthBackend {
    var reportsSentEmails: Bool { false }

    /// Always returns true, because the response does not show whether the address was already verified.
    func sendVerification(email: String) throws(BackendError) -> Bool {
        _ = try send(endpoints.sendVerification(email: email), .sendVerification)
        return true
    }

    func verifyEmail(key: MailKey) throws(BackendError) {
        _ = try send(endpoints.verifyEmail(key: key.key(masker)), .verifyEmail)
    }
}
