import AuthModel
import JSON

extension PocketBaseBackend {
    /// Logs in with the new password immediately, because a password change revokes all tokens.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?> {
        let current = try change.requiredCurrent()
        try change.new.requireAtMost72Bytes()
        let record = try record(of: session)
        let user = PocketBasePayloads.user(record)
        let fields = PocketBasePayloads.identityFields(try methods())
        guard let id = user.id, let login = fields.lazy.compactMap({ record[$0]?.filledText }).first else {
            throw BackendError(
                .unsupported, "the account has no e-mail or username to log in with")
        }
        try send(endpoints.changePassword(id: id, from: current, to: change.new, session), as: session)
        return try BackendError.loggingInAgain { () throws(BackendError) in
            try logInAgain(as: login, change.new)
        }
    }

    private func logInAgain(as login: String, _ password: Secret) throws(BackendError) -> LogInOutcome {
        let response = try server.response(to: endpoints.logIn(Credentials(login: login, password: password)))
        return try outcome(of: response) { () throws(BackendError) in try session(in: response).new }
    }
}

extension PocketBaseBackend {
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        try send(endpoints.resetPassword(email: email))
        return nil
    }

    var sessionsAfterReset: SessionsAfterReset { .revoked }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        try new.requireAtMost72Bytes()
        let token = try token(key)
        try token.purpose.require(.resetPassword)
        try send(endpoints.resetPassword(token: token.text, to: new))
        return nil
    }

    private func token(_ key: MailKey) throws(BackendError) -> PocketBaseMailToken {
        guard let token = PocketBaseMailToken(key, masker) else {
            throw BackendError(.usage, "the link contains no token")
        }
        return token
    }
}

extension PocketBaseBackend {
    /// The server reports success for unknown and verified addresses, and if it sends no e-mails.
    var reportsSentEmails: Bool { false }

    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        try send(endpoints.sendVerification(email: email))
        return Reply(true)
    }

    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        let token = try token(key)
        guard token.purpose == .changeEmail else {
            try token.purpose.require(.verifyEmail)
            try send(endpoints.verify(token: token.text))
            return Reply(.done)
        }
        guard let password = proof.password else {
            throw BackendError(
                .reauthenticationRequired, "the server requires the password", fact: .wantsPassword,
                next: "use --password-file FILE or AUTHCTL_PASSWORD")
        }
        try send(endpoints.changeEmail(token: token.text, password))
        // `try?`: the e-mail was changed, even if the new login fails.
        let again = token.newEmail.flatMap { try? logInAgain(as: $0, password).session() }
        return Reply(.changedEmail(again))
    }
}

extension PocketBaseBackend: AccountDeleting {
    func check(_ change: UserChange) throws(BackendError) {
        if change.unset.contains("email") { throw BackendError(.unsupported, "the e-mail cannot be removed") }
        try change.require(without: PocketBasePayloads.isReadOnly)
    }

    /// A new e-mail is not stored yet: the server sends a link to it.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        guard let id = user.id else { throw .namesNoUser() }
        var user = user
        if change != UserChange(email: change.email) {
            var fields = change.values
            fields["email"] = nil
            user = PocketBasePayloads.user(
                try send(endpoints.update(id: id, fields, session), as: session)
            ).keepingEmail(of: user)
        }
        guard let email = change.email else { return Reply(user) }
        do throws(BackendError) {
            try send(endpoints.changeEmail(to: email, session))
        } catch {
            guard change != UserChange(email: email) else { throw error }
            throw error.explaining("the other values were changed, but the e-mail was not")
        }
        return Reply(user)
    }

    func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        guard let id = user.id else { throw .namesNoUser() }
        try send(endpoints.delete(id: id, session.token), as: session)
        return Reply(())
    }
}
