import AuthModel
import JSON

extension KiiBackend {
    /// Logs in with the new password immediately, because a password change revokes all sessions.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?> {
        let current = try change.requiredCurrent()
        let user = try me(session)
        guard let login = KiiBackend.login(of: user) else {
            throw BackendError(
                .unsupported, "the account has no username, e-mail or phone number to log in with",
                next: "the account can only be used with its session")
        }
        try send(endpoints.changePassword(from: current, to: change.new, session))
        return try BackendError.loggingInAgain { () throws(BackendError) in
            let payload = try send(endpoints.logIn(login, change.new))
            return .session(NewSession(user: User(), session: try self.session(in: payload)))
        }
    }

    /// Returns a name to log in with: the username, else the e-mail address, else the phone number.
    private static func login(of user: JSONObject) -> String? {
        user["loginName"]?.filledText ?? user["emailAddress"]?.filledText ?? user["phoneNumber"]?.filledText
    }
}

extension KiiBackend {
    /// - Parameter email: an e-mail address or a phone number.
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        try send(endpoints.resetPassword(KiiAddress(login: email)))
        return nil
    }

    var sessionsAfterReset: SessionsAfterReset { .revoked }

    /// - Parameter key: a PIN code. Links are rejected, because Kii does not document the pages that they open.
    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        let pin = try code(key)
        guard let address else {
            throw BackendError(
                .usage, "the code alone is not sufficient: the e-mail or phone number of the account is required",
                next: "add it as the argument EMAIL")
        }
        try send(endpoints.resetPassword(KiiAddress(login: address), pin: pin, to: new))
        return nil
    }

    fileprivate func code(_ key: MailKey) throws(BackendError) -> String {
        guard key.link == nil else {
            throw BackendError(
                .unsupported, "Kii Cloud's links work only in a browser", next: "open the link in a browser")
        }
        masker.register(key.text)
        return key.text
    }
}

extension KiiBackend {
    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        do throws(BackendError) {
            switch requester {
            case .session(let session): try send(endpoints.resendVerification(session))
            case .anonymous, .pending: try send(endpoints.resendVerification(to: email))
            }
            return Reply(true)
        } catch {
            guard error.server?.code == "INVALID_ACCOUNT_STATUS" else { throw error }
            return Reply(false)
        }
    }

    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        guard case .session(let session) = proof.requester else {
            throw BackendError(
                .noSession, "cannot verify the code: not logged in",
                next: "log in to the account of the code, then verify again")
        }
        let code = try code(key)
        do throws(BackendError) {
            try send(endpoints.verify(code, session))
        } catch {
            // The error code means that the address is already verified.
            guard error.server?.code == "INVALID_ACCOUNT_STATUS" else { throw error }
        }
        return Reply(.done)
    }
}

/// Source: `Tests/Exchanges/kii/exchanges.ndjson`.
extension KiiBackend: AccountDeleting {
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        if change != UserChange(email: change.email) {
            // The server removes application fields that the request omits, so the request repeats the existing ones.
            var fields = KiiPayloads.applicationFields(try me(session))
            for field in change.fields.members { fields[field.name] = field.value }
            for name in change.unset { fields[name] = nil }
            fields["loginName"] = change.username.map(JSONValue.string)
            try send(endpoints.updateUser(fields, session))
        }
        if let email = change.email {
            do throws(BackendError) {
                try send(endpoints.changeEmail(to: email, session))
            } catch {
                guard change != UserChange(email: email) else { throw error }
                throw error.explaining("the other values were changed, but the e-mail was not")
            }
        }
        return Reply(user.applying(change))
    }

    func check(_ change: UserChange) throws(BackendError) {
        try change.require(without: KiiPayloads.isReadOnly)
        if let name = change.unset.first(where: KiiPayloads.isPermanent) {
            throw BackendError(.unsupported, "Kii Cloud cannot remove '\(name)'")
        }
    }

    func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        try send(endpoints.deleteUser(session))
        return Reply(())
    }
}
