import AuthModel

extension RestAuthBackend {
    /// Checks the current password with a login, because only some sites check it during a password change.
    ///
    /// A site may end the session with the change (simplejwt's `CHECK_REVOKE_TOKEN`, an own serializer). Then the
    /// session is replaced by a login with the new password.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?> {
        let current = try change.requiredCurrent()
        let name = try tryPassword(current, of: session)
        try send(endpoints.changePassword(from: current, to: change.new, session))
        do throws(BackendError) {
            _ = try self.user(session, .currentUser)
            return Reply(nil)
        } catch {
            // Any other error does not mean that the session has ended.
            guard error.reason == .sessionRevoked else { return Reply(nil) }
        }
        guard let name else { return Reply(nil) }
        return try BackendError.loggingInAgain { () throws(BackendError) in
            let outcome = try LogInOutcome(try logIn(from: try grant(endpoints.logIn(name, change.new)), User()))
            guard case .session(var again) = outcome else { return outcome }
            again.session.loginName = session.loginName
            return .session(again)
        }
    }

    /// - Returns: the name with which the site accepts the password; `nil` if the site demands a verification first.
    private func tryPassword(_ password: Secret, of session: Session) throws(BackendError) -> LoginName? {
        do throws(BackendError) {
            return try tryLogIn(password, of: session)
        } catch {
            // The site sends this error only after it accepts the password.
            if error.reason == .emailUnverified { return nil }
            guard error.reason == .wrongPassword else { throw error }
            var error = error
            error.message = "the current password is wrong"
            throw error
        }
    }

    /// Tries to log in with the name of the last login; without one, with the username, then with the e-mail address if
    /// the site accepts only addresses.
    private func tryLogIn(_ password: Secret, of session: Session) throws(BackendError) -> LoginName {
        var names = [session.loginName].compactMap { $0 }
        if names.isEmpty {
            let user = try user(session, .currentUser)
            names = [user.username.map(LoginName.username), user.email.map(LoginName.email)].compactMap { $0 }
        }
        guard let first = names.first, let last = names.last else { throw .namesNoUser() }
        var name = first
        let grant: RestAuthPayloads.Grant
        do throws(BackendError) {
            grant = try self.grant(endpoints.logIn(first, password))
        } catch {
            guard error.reason == .invalidFields, error.fields.allSatisfy({ $0.field == "email" }), last != first else {
                throw error
            }
            name = last
            grant = try self.grant(endpoints.logIn(last, password))
        }
        revokeUnshared(grant)
        return name
    }

    /// Revokes the session in a response if it is a JWT session. A key is not revoked, because all devices share it.
    func revokeUnshared(_ grant: RestAuthPayloads.Grant) {
        guard case .session(let session, _) = grant, !isShared(session) else { return }
        // `try?`: if the logout fails, the session remains valid only until it expires.
        _ = try? send(endpoints.logOut(session))
    }
}

extension RestAuthBackend {
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        try send(endpoints.resetPassword(email: email))
        return nil
    }

    /// By default, keys and JWTs stay valid, but not with simplejwt's `CHECK_REVOKE_TOKEN`.
    var sessionsAfterReset: SessionsAfterReset { .unknown }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        let (uid, token) = try key.userAndToken(masker)
        try send(endpoints.resetPassword(uid: uid, token: token, to: new))
        return nil
    }
}

extension RestAuthBackend {
    var reportsSentEmails: Bool { false }

    /// Always returns true, because the response does not show whether the address was already verified.
    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        try send(endpoints.sendVerification(email: email))
        return Reply(true)
    }

    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        try send(endpoints.verifyEmail(key: key.key(masker)))
        return Reply(.done)
    }
}
