import AuthModel
import JSON
import Transport

extension ParseBackend: PasswordProving {
    /// Verifies the current password with a separate request, because a password change does not check it.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?> {
        let id = try checkPassword(try change.requiredCurrent(), of: session)
        let fields: JSONObject = ["password": .string(change.new.reveal())]
        let payload = try send(endpoints.updateUser(id: id, fields, session, .changePassword))
        return Reply(nil, replacement: ParsePayloads.token(payload, masker).map(self.session))
    }

    func prove(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        _ = try checkPassword(password, of: session)
        return Reply(())
    }

    /// - Returns: the id of the session's user.
    private func checkPassword(_ password: Secret, of session: Session) throws(BackendError) -> String {
        let user = user(try send(endpoints.currentUser(session)))
        guard let id = user.id, let name = user.username ?? user.email else { throw .namesNoUser() }
        let credentials = Credentials(login: name, password: password)
        do throws(BackendError) {
            try send(endpoints.verifyPassword(credentials))
        } catch {
            switch error.reason {
            // The server sends this error only after it accepts the password.
            case .emailUnverified: break
            // Parse Server before 7.1 has no `POST /verifyPassword`.
            case .wrongEndpoint: try tryLogIn(credentials)
            default: throw error
            }
        }
        return id
    }

    /// Checks the password with a login, and revokes the new session immediately.
    private func tryLogIn(_ credentials: Credentials) throws(BackendError) {
        do throws(BackendError) {
            let payload = try send(endpoints.logIn(credentials))
            if let token = ParsePayloads.token(payload, masker) { _ = try logOut(Session(token: token)) }
        } catch {
            switch error.reason {
            // The server checks the password before the e-mail verification and the second factor. Source: Parse
            // Server, `UsersRouter.handleLogIn`.
            case .emailUnverified, .secondFactorRequired: break
            case .wrongPassword:
                var error = error
                error.message = "the current password is wrong"
                throw error
            default: throw error
            }
        }
    }
}

extension ParseBackend {
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        try send(endpoints.resetPassword(email: email))
        return nil
    }

    var sessionsAfterReset: SessionsAfterReset { isEmbedded ? .revoked : .usuallyRevoked }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        let link = try link(key, of: .resetPassword)
        let request = endpoints.resetPassword(token: link.token, username: link.username, to: new)
        let response = try server.response(to: request)
        // The body is the JSON string "Password successfully reset".
        if response.http.status == 200 {
            guard response.http.json?.string != nil else { throw response.invalid() }
            return nil
        }
        let error = ParseErrors.error(for: response)
        // Error code 200, "Missing username": Parse Server before version 8 requires the username.
        guard error.server?.code == 200, link.username == nil else { throw error }
        throw BackendError(
            .usage, "the token alone is not sufficient: this server also needs the username in the link",
            next: .wholeLink)
    }

    /// Reads the link or token from an e-mail, and registers the token as a secret.
    ///
    /// - Throws: `BackendError` `usage` if the link is for a different application or purpose, or contains no token.
    private func link(_ key: MailKey, of purpose: MailPurpose) throws(BackendError) -> ParseLink {
        guard let link = ParseLink(key) else { throw BackendError(.usage, "the link contains no token") }
        masker.register(link.token)
        if let id = link.applicationID, id != endpoints.appID {
            throw BackendError(
                .usage, "the link is of application '\(id)', not of '\(endpoints.appID)'",
                next: "use the profile of that application, or its --app-id")
        }
        try link.purpose.require(purpose)
        return link
    }
}

extension ParseBackend {
    var reportsSentEmails: Bool { isEmbedded }

    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        do throws(BackendError) {
            try send(endpoints.sendVerification(email: email))
            return Reply(true)
        } catch {
            // Error code -1, "Other error": the text decides, because Cloud Code may send the code, too.
            guard error.server?.code == .integer(-1), error.server?.message?.holds("already verified") == true else {
                throw error
            }
            return Reply(false)
        }
    }

    /// - Parameter key: the whole link. For the embedded server, the token is sufficient.
    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        let link = try link(key, of: .verifyEmail)
        guard isEmbedded || key.link != nil else {
            throw BackendError(
                .usage, "the token alone is not sufficient: some Parse servers also need the username in the link",
                next: .wholeLink)
        }
        let request = endpoints.verifyEmail(key: link.token, username: link.username)
        let response = try server.response(to: request)
        let detail = ServerDetail(status: response.http.status)
        switch ParsePage(response.http, confirmsKeys: isEmbedded) {
        case .verified: return Reply(.done)
        case .invalidLink: throw BackendError(.notFound, "the key is unknown, used or expired", server: detail)
        case .unclear:
            throw BackendError(
                .invalidResponse, "the page of the server does not say whether the link is valid", server: detail)
        case .fault: throw ParseErrors.error(for: response)
        }
    }
}

/// Source: Parse REST guide, "Updating Users" and "Deleting Users".
extension ParseBackend: AccountDeleting {
    func check(_ change: UserChange) throws(BackendError) {
        try change.require { $0 != "email" && ParsePayloads.isReadOnly($0) }
    }

    /// The response does not contain the new values, so they are taken from the request.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        guard let id = user.id else { throw .namesNoUser() }
        let payload = try send(endpoints.updateUser(id: id, ParsePayloads.fields(of: change), session))
        return Reply(
            user.applying(change), replacement: ParsePayloads.token(payload, masker).map(self.session))
    }

    func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        guard let id = user.id else { throw .namesNoUser() }
        try send(endpoints.deleteUser(id: id, session))
        return Reply(())
    }
}
