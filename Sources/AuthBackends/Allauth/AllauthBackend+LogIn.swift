import AuthModel

/// Logins with a password, a token or a second factor; token refresh.
extension AllauthBackend {
    /// Sends a login. If the site rejects the kind of name, sends it as the next kind.
    func answer(to credentials: Credentials) throws(BackendError) -> AllauthResponse {
        let names = names(of: credentials.login)
        do throws(BackendError) {
            return try send(endpoints.logIn(names[0], credentials.password), .logIn)
        } catch {
            guard error.isOfOtherKind else { throw error }
            guard names.count > 1 else { throw names[0] == .username(credentials.login) ? error.wantsEmail : error }
            return try answer(to: names[1], credentials.password, after: error)
        }
    }

    /// Retries the login with the name as another kind. If the site does not accept that kind either, throws the first error.
    private func answer(
        to name: LoginName, _ password: Secret, after first: BackendError
    ) throws(BackendError) -> AllauthResponse {
        do throws(BackendError) {
            return try send(endpoints.logIn(name, password), .logIn)
        } catch {
            throw error.isOfOtherKind ? first : error
        }
    }

    /// Reads the session of a login response.
    ///
    /// - Parameter known: the user's data in the request.
    /// - Throws: an error if a step is pending, or if the response contains no session. The error for an unverified e-mail contains the token of the unfinished login.
    func logIn(
        from answer: AllauthResponse, _ operation: Operation, _ known: User
    ) throws(BackendError) -> NewSession {
        guard answer.status == 200 else {
            throw AllauthErrors.error(for: answer, operation, masker).pending(answer)
        }
        guard let session = answer.session else {
            throw .holdsNoSession(status: answer.status)
        }
        let user = AllauthPayloads.user(answer.data)?.keepingNames(of: known) ?? known
        return NewSession(user: user, session: session)
    }
}

extension AllauthBackend {
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        var session = Session(foreign: token)
        let answer = try send(.logInWithToken, as: &session, endpoints.currentUser)
        guard let user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
        return Reply(NewSession(user: user, session: session))
    }
}

extension AllauthBackend: SecondFactor {
    /// If the account has no second factor, the code is not sent.
    func logIn(_ credentials: Credentials, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        let first = try answer(to: credentials)
        let known = User(login: credentials.login)
        guard first.status == 401, first.pending.contains(.secondFactor), let pending = first.session else {
            return Reply(.session(try logIn(from: first, .logIn, known)))
        }
        return Reply(.session(try confirm(code, pending.token, first, known)))
    }
}

extension AllauthBackend: PendingSecondFactor {
    /// Requests the steps that wait, because each kind of code has its own path.
    func finishLogIn(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<NewSession> {
        let state = try send(endpoints.currentUser(Session(token: pending)), .secondFactor)
        return Reply(try confirm(code, pending, state, User()))
    }

    private func confirm(
        _ code: Secret, _ pending: Secret, _ state: AllauthResponse, _ known: User
    ) throws(BackendError) -> NewSession {
        guard let path = state.pending.lazy.compactMap(\.codePath).first else {
            throw BackendError(
                .sessionRevoked, "the pending login has expired", server: ServerDetail(status: state.status))
        }
        return try logIn(
            from: try send(endpoints.confirm(code, at: path, pending), .secondFactor), .secondFactor, known)
    }
}

extension AllauthBackend: Reauthenticating {
    func reauthenticate(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        try following(session) { session throws(BackendError) in
            _ = try send(.verifyPassword, as: &session) { endpoints.reauthenticate(password, $0) }
        }
    }
}

extension AllauthBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        let refreshToken = try session.requiredRefreshToken()
        let answer = try send(endpoints.refresh(refreshToken), .refresh)
        guard let token = Secret(token: answer.data["access_token"], masker) else {
            throw .holdsNoUsableSession
        }
        return session.refreshed(token, refreshToken: answer.data["refresh_token"], at: server.clock.now(), masker)
    }
}

extension BackendError {
    /// Whether the site rejected the kind of login name (username or e-mail). It checks the kind before the password.
    fileprivate var isOfOtherKind: Bool {
        self.reason == .invalidFields && self.fields.contains { ["username", "email"].contains($0.field) }
    }

    /// The error for a username if the site accepts only e-mail addresses.
    fileprivate var wantsEmail: BackendError {
        BackendError(
            self.reason, "the site identifies users by e-mail", fact: .wantsEmail,
            next: "use the e-mail instead of the username", server: self.server, fields: self.fields)
    }
}
