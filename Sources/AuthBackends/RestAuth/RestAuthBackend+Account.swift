import AuthModel

extension RestAuthBackend: PasswordChanging {
    /// Only some sites check the current password, so this tries a login with it.
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        try tryPassword(current, of: try user(session, .currentUser))
        _ = try send(endpoints.changePassword(from: current, to: new, session), .changePassword)
        return Reply(())
    }

    private func tryPassword(_ password: Secret, of user: User) throws(AuthError) {
        do throws(AuthError) {
            try tryLogIn(password, of: user)
        } catch {
            // Sent only after the right password.
            if error.reason == .emailUnverified { return }
            guard error.reason == .wrongPassword else { throw error }
            var error = error
            error.message = "the current password is wrong"
            throw error
        }
    }

    /// Tries the username, and the address if the site accepts addresses only.
    private func tryLogIn(_ password: Secret, of user: User) throws(AuthError) {
        var names = [user.username.map(LoginName.username), user.email.map(LoginName.email)].compactMap { $0 }
        guard !names.isEmpty else { throw .namesNoUser() }
        while !names.isEmpty {
            do throws(AuthError) {
                return revokeUnshared(try grant(endpoints.logIn(names.removeFirst(), password), .logIn))
            } catch {
                guard error.reason == .invalidFields, !names.isEmpty else { throw error }
            }
        }
    }

    /// Revokes a JWT session that this command does not need. A key is not revoked, because all devices share it.
    func revokeUnshared(_ grant: RestAuthPayloads.Grant) {
        guard case .session(let session, _) = grant, !isShared(session) else { return }
        // `try?`: a session that is not revoked expires.
        _ = try? logOut(session)
    }
}

extension RestAuthBackend: PasswordResetting {
    func resetPassword(email: String) throws(AuthError) -> Secret? {
        _ = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
        return nil
    }

    /// Recorded as `none/user-get-after-reset`.
    var sessionsAfterReset: SessionsAfterReset { .kept }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(AuthError) -> NewSession? {
        let (uid, token) = try key.userAndToken(masker)
        _ = try send(endpoints.resetPassword(uid: uid, token: token, to: new), .finishPasswordReset)
        return nil
    }
}

extension RestAuthBackend: EmailVerifying {
    var reportsSentEmails: Bool { false }

    /// The response does not tell whether an e-mail was necessary.
    func sendVerification(email: String) throws(AuthError) -> Bool {
        _ = try send(endpoints.sendVerification(email: email), .sendVerification)
        return true
    }

    func verifyEmail(key: MailKey) throws(AuthError) {
        _ = try send(endpoints.verifyEmail(key: key.key(masker)), .verifyEmail)
    }
}
