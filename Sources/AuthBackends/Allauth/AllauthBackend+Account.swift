import AuthModel

extension AllauthBackend {
    /// With `ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE`, the site ends the session and confirms the change with 401, which it
    /// also sends for a session that was dead before. The session is therefore checked first.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?> {
        let current = try change.requiredCurrent()
        return try following(session) { session throws(BackendError) in
            let user = try currentUser(&session)
            do throws(BackendError) {
                try send(as: &session) { endpoints.changePassword(from: current, to: change.new, $0) }
            } catch {
                guard error.reason == .sessionRevoked, error.server?.status == 401 else { throw error }
                let reply = try logInAgain(change.new, user, error)
                session = reply.replacement ?? session
                return reply.value
            }
            guard let renewed = sessionWithNewJWTs(change.new, user, session) else { return nil }
            // `try?`: the renewed session is valid anyway.
            _ = try? send(endpoints.logOut(session))
            session = renewed
            return nil
        }
    }

    /// - Throws: `refusal`, the response to the change, if the site does not accept the new password.
    private func logInAgain(
        _ password: Secret, _ user: User, _ refusal: BackendError
    ) throws(BackendError) -> Reply<Pending?> {
        do throws(BackendError) {
            return try BackendError.loggingInAgain { () throws(BackendError) in
                guard let answer = try answer(to: password, of: user) else { throw .namesNoUser() }
                return try outcome(of: answer, .logIn, user)
            }
        } catch {
            throw error.reason == .wrongPassword ? refusal : error
        }
    }

    /// Logs in after a password change, because allauth's JWTs belong to the key that the session had before. Source:
    /// allauth 65.21, `headless/tokens/strategies/jwt/internal.py`.
    ///
    /// - Returns: `nil` if the session has no such JWTs, or if the login needs another step.
    private func sessionWithNewJWTs(_ password: Secret, _ user: User, _ session: Session) -> Session? {
        // `try?`: the session itself is still valid.
        guard session.accessToken != nil, let token = session.refreshToken,
            JWT.payload(of: token)?["token_use"] != nil, let answer = try? answer(to: password, of: user),
            answer.status == 200
        else { return nil }
        return answer.session
    }

    /// Sends a login with a name of the user that the site takes; returns `nil` if there is none.
    private func answer(to password: Secret, of user: User) throws(BackendError) -> AllauthResponse? {
        let login = try site().takesUsername ? user.username ?? user.email : user.email
        return try login.map { login throws(BackendError) in
            try answer(to: Credentials(login: login, password: password))
        }
    }
}

extension AllauthBackend {
    /// Returns the token of the pending reset if the site sends codes. A code is valid only with this token. Source:
    /// allauth 65.21, `flows/password_reset_by_code.py`.
    func resetPassword(email: String) throws(BackendError) -> Secret? {
        let answer = try send(endpoints.resetPassword(email: email))
        return answer.pending.contains(.resetByCode) ? answer.session?.token : nil
    }

    /// Django invalidates all sessions, because each session contains a hash of the password.
    var sessionsAfterReset: SessionsAfterReset { .revoked }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        let answer = try send(endpoints.resetPassword(key: key.key(masker), to: new, pending))
        guard answer.isAuthenticated, let session = answer.session else { return nil }
        return .session(NewSession(user: AllauthPayloads.user(answer.data) ?? User(), session: session))
    }
}

/// The key in a link is valid by itself. A code is valid only for the signup, login or session that requested it.
extension AllauthBackend {
    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        switch requester {
        case .pending(let token):
            let answer = try send(endpoints.resendCode(token))
            return Reply(true, replacement: answer.session)
        case .session(let session):
            return try following(session) { session throws(BackendError) in try sendLink(email, &session) }
        case .anonymous:
            throw BackendError(
                .unsupported, "the site sends verification e-mails only during a login",
                next: "log in with the right password to get a new e-mail")
        }
    }

    /// Checks first whether the address is verified, because allauth sends the same error for a verified address as for
    /// a rate limit.
    private func sendLink(_ email: String, _ session: inout Session) throws(BackendError) -> Bool {
        let emails = try send(as: &session, endpoints.emails)
        if AllauthPayloads.isVerified(email, emails.data) == true { return false }
        try send(as: &session) { endpoints.sendVerification(email: email, $0) }
        return true
    }

    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        let key = try key.key(masker)
        switch proof.requester {
        case .anonymous:
            try send(endpoints.verifyEmail(key: key, nil))
            return Reply(.done)
        case .session(let session):
            // A code for an added address is valid only for the session that requested it.
            return try following(session) { session throws(BackendError) in
                _ = try verify(key, as: &session)
                return .done
            }
        case .pending(let token):
            var waiting = Session(token: token)
            let answer = try verify(key, as: &waiting)
            guard answer.status == 200, let session = answer.session else { return Reply(.done) }
            return Reply(.session(NewSession(user: AllauthPayloads.user(answer.data) ?? User(), session: session)))
        }
    }

    /// Sends the key with the session, and again without it if the session is invalid, because allauth rejects even a
    /// valid key with an invalid session.
    private func verify(_ key: String, as session: inout Session) throws(BackendError) -> AllauthResponse {
        do throws(BackendError) {
            return try send(as: &session) { endpoints.verifyEmail(key: key, $0) }
        } catch {
            guard error.reason == .sessionRevoked else { throw error }
            return try send(endpoints.verifyEmail(key: key, nil))
        }
    }
}

extension AllauthBackend: SessionListing {
    func sessions(of session: Session) throws(BackendError) -> Reply<[SessionSummary]> {
        try following(session) { session throws(BackendError) in
            let answer = try send(as: &session, endpoints.sessions)
            return AllauthPayloads.sessions(answer.data).sorted { later($0, $1) }
        }
    }

    /// allauth responds with 401 if the session that it revoked is the current one.
    func endSession(id: String, of session: Session) throws(BackendError) -> Reply<Void> {
        guard let number = Int64(id) else { throw BackendError(.notFound, "unknown session") }
        return try following(session) { session throws(BackendError) in
            let answer = try send(as: &session) { endpoints.endSession(id: number, $0) }
            // allauth also sends 401 for an expired JWT. In that case, no session was revoked.
            guard answer.status == 200 || !session.isJWT || !session.hasExpired(at: server.clock.now()) else {
                throw BackendError.sessionExpired
            }
        }
    }

    private func later(_ left: SessionSummary, _ right: SessionSummary) -> Bool {
        guard let first = left.createdAt, let second = right.createdAt else { return left.createdAt != nil }
        return first > second
    }
}
