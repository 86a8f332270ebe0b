import AuthModel
import JSON

extension PocketBaseBackend {
    /// Logs in with the new password immediately, because a password change revokes all tokens.
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(BackendError) -> Reply<Void> {
        try Self.require(new)
        let record = try record(of: session)
        let user = PocketBasePayloads.user(record)
        let fields = PocketBasePayloads.identityFields(try methods())
        guard let id = user.id, let login = fields.lazy.compactMap({ record[$0]?.filledText }).first else {
            throw BackendError(
                .unsupported, "the account has no e-mail or username to log in with")
        }
        let request = endpoints.changePassword(id: id, from: current, to: new, session)
        _ = try send(request, .changePassword, as: session)
        return try BackendError.loggingInAgain { () throws(BackendError) in
            let new = try logIn(endpoints.logIn(Credentials(login: login, password: new)), .logIn)
            return Reply((), replacement: new.session.session)
        }
    }
}

extension PocketBaseBackend {
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        _ = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
        return nil
    }

    var sessionsAfterReset: SessionsAfterReset { .revoked }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> NewSession? {
        try Self.require(new)
        let token = try token(key)
        try token.require(.passwordReset)
        _ = try send(endpoints.resetPassword(token: token.text, to: new), .finishPasswordReset)
        return nil
    }

    private func token(_ key: MailKey) throws(BackendError) -> PocketBaseMailToken {
        guard let token = PocketBaseMailToken(key, masker) else {
            throw BackendError(.usage, "the link contains no token")
        }
        return token
    }
}

extension PocketBaseBackend: EmailChangeConfirming {
    /// The server reports success for unknown and verified addresses, and if it sends no e-mails.
    var reportsSentEmails: Bool { false }

    func sendVerification(email: String) throws(BackendError) -> Bool {
        _ = try send(endpoints.sendVerification(email: email), .sendVerification)
        return true
    }

    func verifyEmail(key: MailKey) throws(BackendError) {
        let token = try token(key)
        try token.require(.verification)
        _ = try send(endpoints.verify(token: token.text), .verifyEmail)
    }

    func changesEmail(_ key: MailKey) -> Bool { PocketBaseMailToken(key, masker)?.purpose == .emailChange }

    func changeEmail(key: MailKey, password: Secret) throws(BackendError) -> NewSession? {
        let token = try token(key)
        _ = try send(endpoints.changeEmail(token: token.text, password), .verifyEmail)
        // `try?`: the e-mail was changed, even if the new login fails, for example because it needs a second factor.
        guard let email = token.newEmail else { return nil }
        return try? logIn(endpoints.logIn(Credentials(login: email, password: password)), .logIn).session
    }
}

extension PocketBaseBackend: AccountDeleting {
    func check(_ change: UserChange) throws(BackendError) {
        if change.unset.contains("email") { throw BackendError(.unsupported, "the e-mail cannot be removed") }
        if let name = (change.fields.names + change.unset).first(where: PocketBasePayloads.isReadOnly) {
            throw .readOnly(name)
        }
    }

    /// A new e-mail is not stored yet: the server sends a link to it.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        guard let id = user.id else { throw .namesNoUser() }
        var user = user
        if change != UserChange(email: change.email) {
            var fields = change.values
            fields["email"] = nil
            user = PocketBasePayloads.user(
                try send(endpoints.update(id: id, fields, session), .updateUser, as: session)
            ).keepingEmail(of: user)
        }
        guard let email = change.email else { return Reply(user) }
        do throws(BackendError) {
            _ = try send(endpoints.changeEmail(to: email, session), .updateUser, .nothing)
        } catch {
            guard change != UserChange(email: email) else { throw error }
            throw error.explaining("the other values were changed, but the e-mail was not")
        }
        return Reply(user)
    }

    func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        guard let id = user.id else { throw .namesNoUser() }
        _ = try send(endpoints.delete(id: id, session.token), .deleteAccount, as: session)
        return Reply(())
    }
}
