import AuthModel
import JSON

extension FirebaseBackend: PasswordProving {
    /// The server does not ask for the current password, so a login proves it. The new login also meets the limit on the
    /// age of a login. Without one, the session's token sets the first password. Source: `live/google-set-password`.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?> {
        guard change.code == nil else {
            throw BackendError(.unsupported, "Firebase needs no code for a password change", next: "remove --otp")
        }
        let user = try user(of: session)
        guard let email = user["email"]?.filledText else {
            throw BackendError(
                .unsupported, "the account has no e-mail, so it cannot have a password", next: .firstEmail)
        }
        var token = session.token
        if FirebasePayloads.hasPassword(user) {
            guard let current = change.current else {
                throw BackendError(
                    .reauthenticationRequired, "the account has a password, which is required", fact: .wantsPassword,
                    next: "add --password-file FILE, or use --password-stdin with two lines")
            }
            do throws(BackendError) {
                token = try newSession(email, current).token
            } catch {
                // The password is right, but the login is not complete: the session's own token may be new enough.
                guard error.reason == .secondFactorRequired else { throw error }
            }
        } else if change.current != nil {
            throw BackendError(.unsupported, "the account has no password", next: .firstPassword)
        }
        let fields: JSONObject = ["password": .string(change.new.reveal())]
        let payload = try send(endpoints.update(fields, token, .changePassword))
        return Reply(nil, replacement: try self.session(in: payload, .changePassword))
    }

    /// Logs in again: for some requests, the server requires a login of the last minutes.
    func prove(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        var email = user.email
        if email == nil { email = try self.user(of: session)["email"]?.filledText }
        guard let email else { throw BackendError(.unsupported, "the account has no password") }
        return Reply((), replacement: try newSession(email, password))
    }

    private func newSession(_ email: String, _ password: Secret) throws(BackendError) -> Session {
        let payload = try send(endpoints.logIn(email: email, password: password, .verifyPassword))
        return try session(in: payload, .verifyPassword)
    }
}

extension FirebaseBackend {
    /// A project with protection against enumeration reports success for an unknown address, so others do, too.
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        do throws(BackendError) {
            try send(endpoints.sendEmail("PASSWORD_RESET", .requestPasswordReset, ["email": .string(email)]))
        } catch {
            guard error.reason == .notFound else { throw error }
        }
        return nil
    }

    var sessionsAfterReset: SessionsAfterReset { .revoked }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        let code = try code(key, .finishPasswordReset) { $0 == .resetPassword }
        try send(endpoints.resetPassword(code: code, to: new))
        return nil
    }

    /// Returns the code of a link, after a check of its purpose. The server tells the purpose of a bare code.
    func code(
        _ key: MailKey, _ operation: Operation, _ isFor: (MailPurpose) -> Bool
    ) throws(BackendError) -> String {
        let code = try FirebaseMailCode(key, masker)
        if let key = code.apiKey, let own = endpoints.apiKey?.reveal(), endpoints.emulator == nil, key != own {
            throw BackendError(.usage, "the link is for another Firebase project")
        }
        var purpose = code.purpose
        if purpose == nil {
            purpose = try send(endpoints.inspect(code: code.text, operation))["requestType"]?.string
                .flatMap { FirebaseMailCode.purposes[$0] }
        }
        guard let purpose else { throw BackendError(.usage, "the code has an unknown purpose") }
        guard isFor(purpose) else { throw .isFor(purpose) }
        return code.text
    }
}

extension FirebaseBackend {
    /// The server sends the e-mail only to the user of a session.
    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        guard case .session(let session) = requester else {
            throw BackendError(
                .noSession, "Firebase sends this e-mail only to a user who is logged in",
                next: NextStep("log in", run: ["login"] + .argument(email)))
        }
        let user = FirebasePayloads.whole(try user(of: session))
        guard user.email?.lowercased() == email.lowercased() else {
            throw BackendError(
                .noSession, "'\(email)' is not the e-mail of the session's user",
                next: NextStep("log in as that user", run: ["login"] + .argument(email)))
        }
        guard user.emailVerified != true else { return Reply(false) }
        try send(endpoints.sendEmail("VERIFY_EMAIL", .sendVerification, [:], session), as: session)
        return Reply(true)
    }

    /// Verifies an address, or completes the change of an e-mail.
    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        let code = try code(key, .verifyEmail) { ![.resetPassword, .logIn].contains($0) }
        try send(endpoints.apply(code: code))
        return Reply(.done)
    }
}

extension FirebaseBackend: AccountDeleting {
    var showsAllFields: Bool { true }

    func check(_ change: UserChange) throws(BackendError) { try Self.check(change, FirebasePayloads.ownFields) }

    /// - Parameter names: the fields that can be set.
    static func check(_ change: UserChange, _ names: [String]) throws(BackendError) {
        if change.username != nil { throw BackendError(.unsupported, "Firebase accounts have no username") }
        if change.unset.contains("email") { throw BackendError(.unsupported, "the e-mail cannot be removed") }
        var fields = change.fields
        for name in change.unset { fields[name] = "" }
        try require(fields, of: names)
    }

    /// A new e-mail is not stored yet: the server sends a link to it. The first one is stored with a password, and the
    /// account keeps its id.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        var user = user
        let isFirst = change.email != nil && user.lacksEmail
        guard !isFirst || change.password != nil else {
            throw BackendError(
                .reauthenticationRequired, "the account has no e-mail yet, and the first one needs a password",
                fact: .wantsPassword, next: "use --password-stdin, --password-file FILE or AUTHCTL_PASSWORD")
        }
        let hasFields = !change.fields.isEmpty || !change.unset.isEmpty
        if hasFields {
            let payload = try send(endpoints.update(FirebasePayloads.fields(change), session.token), as: session)
            user = FirebasePayloads.user(payload).keepingEmail(of: user)
        }
        guard let email = change.email else { return Reply(user) }
        do throws(BackendError) {
            return try telling(session) { () throws(BackendError) in
                guard isFirst, let password = change.password?.reveal() else {
                    let fields: JSONObject = ["newEmail": .string(email)]
                    try send(endpoints.sendEmail("VERIFY_AND_CHANGE_EMAIL", .updateUser, fields, session))
                    return Reply(user)
                }
                let token = session.token.reveal()
                let fields: JSONObject = [
                    "idToken": .string(token), "email": .string(email), "password": .string(password),
                ]
                let new = try logIn(endpoints.signUp(fields, .updateUser))
                guard new.user.id == user.id else { throw BackendError.sessionOfOtherUser }
                return Reply(new.user, replacement: new.session)
            }
        } catch {
            guard hasFields else { throw error }
            throw error.explaining("the other values were changed, but the e-mail was not")
        }
    }

    func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        try send(endpoints.delete(session), as: session)
        return Reply(())
    }
}
