import AuthModel
import JSON

extension SupabaseBackend: PasswordProving {
    /// Proves the current password by a login, because most projects do not check it. The session goes on.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?> {
        try change.new.requireAtMost72Bytes()
        var fields: JSONObject = ["password": .string(change.new.reveal())]
        fields["nonce"] = change.code.map { .string($0.reveal()) }
        if let current = change.current {
            fields["current_password"] = .string(current.reveal())
            _ = try prove(current, of: User(), session)
        }
        do throws(BackendError) {
            try send(endpoints.update(fields, session.token, .changePassword))
        } catch {
            guard error.server?.code == "reauthentication_needed" else { throw error }
            throw requestingCode(after: error, session)
        }
        return Reply(nil)
    }

    func prove(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        let user = try send(endpoints.user(session.token))
        guard let login = user["email"]?.filledText ?? user["phone"]?.filledText else {
            throw BackendError(
                .unsupported, "the account has no e-mail and no phone number, so it has no password",
                next: .firstPassword)
        }
        let proof = try logIn(endpoints.logIn(login, password, .verifyPassword)).new.session
        // `try?`: the password is right, even if the session of this login lives on.
        _ = try? send(endpoints.logOut(proof.token))
        return Reply(())
    }

    private func requestingCode(after error: BackendError, _ session: Session) -> BackendError {
        var error = error
        error.nextSteps = [
            NextStep("change the password with the code from the e-mail", run: ["password", "change", "--otp", "CODE"])
        ]
        do throws(BackendError) {
            try send(endpoints.reauthenticate(session.token))
            error.message = "the server requires a code, and has sent it to the account's address"
        } catch let failure {
            error.message = "the server requires a code, which could not be requested now: \(failure.message)"
            error.retryAfter = failure.retryAfter
        }
        return error
    }
}

extension SupabaseBackend {
    /// - Parameter email: an e-mail address or a phone number.
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        try send(endpoints.resetPassword(email))
        return nil
    }

    var sessionsAfterReset: SessionsAfterReset { .revoked }

    /// The key starts a session, which then sets the password. If the server rejects the password, or requires the second
    /// factor of the account, the session is the token for another try, because the key is used up:
    /// `KEY:ACCESSTOKEN:REFRESHTOKEN`.
    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        try new.requireAtMost72Bytes()
        let key = try SupabaseMailKey(key, masker)
        guard key.type ?? "recovery" == "recovery" else { throw .isFor(.verifyEmail, Self.otherPurpose) }
        let fields: JSONObject = ["password": .string(new.reveal())]
        if let (name, session) = pending.flatMap(keptReset), name == key.name(address) {
            do throws(BackendError) {
                let user = try send(endpoints.update(fields, session.token, .finishPasswordReset))
                return .session(NewSession(user: SupabasePayloads.user(user), session: session))
            } catch {
                guard error.reason.meansInvalidSession else { return try keeping(session, key.name(address), error) }
            }
        }
        let found = try logIn(endpoints.verify(try key.fields("recovery", address), .secondFactor)).new
        do throws(BackendError) {
            try send(endpoints.update(fields, found.session.token, .finishPasswordReset))
        } catch {
            return try keeping(found.session, key.name(address), error)
        }
        return .session(found)
    }

    /// Reads the token of a reset whose key is used up.
    func keptReset(_ pending: Secret) -> (key: String, session: Session)? {
        let parts = pending.reveal().split(separator: ":" as Character, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let token = Secret(String(parts[1]))
        var session = Session(foreign: token)
        (session.refreshToken, session.id) = (Secret(String(parts[2])), SupabasePayloads.id(of: token))
        return (String(parts[0]), session)
    }

    static func token(ofReset key: String, _ session: Session) -> Secret {
        Secret("\(key):\(session.token.reveal()):\(session.refreshToken?.reveal() ?? "")")
    }

    /// A link can also be an invitation, or log in.
    static let otherPurpose = "is for another purpose"

    private func keeping(_ session: Session, _ key: String, _ error: BackendError) throws(BackendError) -> LogInOutcome
    {
        let lacksFactor = error.reason == .secondFactorRequired
        guard lacksFactor || [.invalid, .serverError].contains(error.outcome), session.refreshToken != nil else {
            throw error
        }
        var error = error
        if lacksFactor { error.nextSteps = [] }
        error.nextSteps.append(
            lacksFactor
                ? "run the command again with the same link or code, and add --otp CODE: no other e-mail is needed"
                : "run the command again with the same link or code: no other e-mail is needed")
        let token = Self.token(ofReset: key, session)
        return .waits(Pending(lacksFactor ? .secondFactor : .newPassword, token: token, error: error), nil)
    }
}

extension SupabaseBackend {
    /// The server reports success for unknown and for verified addresses.
    var reportsSentEmails: Bool { false }

    /// Requests the e-mail of a signup, then that of a change of the e-mail: the server sends the one that is due.
    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        let isPhone = SupabaseEndpoints.isPhone(email)
        try send(endpoints.resend(isPhone ? "sms" : "signup", email))
        // `try?`: at most one of the two is due.
        if !isPhone { _ = try? send(endpoints.resend("email_change", email)) }
        return Reply(true)
    }

    /// Without a link, the type is unknown. A wrong type does not use up the key. Source: `confirm/verify-other-type`.
    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        let address = proof.address
        let key = try SupabaseMailKey(key, masker)
        guard key.type != "recovery" else { throw .isFor(.resetPassword, Self.otherPurpose) }
        if let type = key.type { return try verify(try key.fields(type, address)) }
        do throws(BackendError) {
            return try verify(try key.fields("email", address))
        } catch {
            guard error.reason == .wrongCode else { throw error }
            return try verify(try key.fields("email_change", address))
        }
    }

    private func verify(_ fields: JSONObject) throws(BackendError) -> Reply<Verification> {
        let payload = try send(endpoints.verify(fields))
        guard let session = SupabasePayloads.session(payload, at: server.clock.now(), masker) else {
            return Reply(.otherAddressMissing)
        }
        return Reply(
            .session(NewSession(user: SupabasePayloads.user(payload["user"]?.object ?? [:]), session: session)))
    }
}

extension SupabaseBackend {
    func check(_ change: UserChange) throws(BackendError) {
        if change.username != nil {
            throw BackendError(.unsupported, "accounts have an e-mail or a phone number, and no username")
        }
        if change.unset.contains("email") { throw BackendError(.unsupported, "the e-mail cannot be removed") }
        try change.require(without: SupabasePayloads.isReadOnly)
    }

    /// `null` removes a field of `user_metadata`. A new e-mail waits for its confirmations.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        var (fields, data) = (JSONObject(), change.values)
        data["email"] = nil
        fields["email"] = change.email.map(JSONValue.string)
        if !data.isEmpty { fields["data"] = .object(data) }
        return Reply(SupabasePayloads.user(try send(endpoints.update(fields, session.token))))
    }
}
