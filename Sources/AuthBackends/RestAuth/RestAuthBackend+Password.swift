import AuthModel

extension RestAuthBackend: PasswordChanging {
    /// Only some sites ask for the current password, so it is tried by a log-in of its own.
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
            // Said only after the right password.
            if error.reason == .emailUnverified { return }
            guard error.reason == .wrongPassword else { throw error }
            var error = error
            error.message = "the current password is wrong"
            throw error
        }
    }

    /// By the name, and by the e-mail where the site takes nothing else.
    private func tryLogIn(_ password: Secret, of user: User) throws(AuthError) {
        var names = [user.username.map(LogInName.username), user.email.map(LogInName.email)].compactMap { $0 }
        guard !names.isEmpty else { throw .namesNoUser() }
        while !names.isEmpty {
            do throws(AuthError) {
                return endUnshared(try grant(endpoints.logIn(names.removeFirst(), password), .logIn))
            } catch {
                guard error.reason == .invalidFields, !names.isEmpty else { throw error }
            }
        }
    }

    /// A key is that of all other devices, too; a new pair of JWTs is nobody's.
    func endUnshared(_ grant: RestAuthPayloads.Grant) {
        guard case .session(let session, _) = grant, !isShared(session) else { return }
        // `try?`: it ends by itself otherwise.
        _ = try? logOut(session)
    }
}

extension RestAuthBackend: PasswordResetting {
    func resetPassword(email: String) throws(AuthError) {
        _ = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
    }
}

extension RestAuthBackend: EmailVerifying {
    var reportsSentEmails: Bool { false }

    /// The server does not say whether there was a need to.
    func sendVerification(email: String) throws(AuthError) -> Bool {
        _ = try send(endpoints.sendVerification(email: email), .sendVerification)
        return true
    }

    /// - Parameter key: as it stands in the link of the mail, where its colons may be percent-encoded.
    func verifyEmail(key: String) throws(AuthError) {
        _ = try send(endpoints.verifyEmail(key: key.percentDecoded), .verifyEmail)
    }
}
