import AuthModel

/// Logins with a password, a token or a second factor; token refresh.
extension AllauthBackend {
    /// Sends a login. A name with `@` is sent as an e-mail address and, if the site rejects that, as a username.
    func answer(to credentials: Credentials) throws(BackendError) -> AllauthResponse {
        let (first, second) = LoginName.guesses(credentials.login)
        do throws(BackendError) {
            return try send(endpoints.logIn(first, credentials.password), .logIn)
        } catch {
            guard error.isOfOtherKind else { throw error }
            guard let second else { throw error.wantsEmail }
            return try answer(to: second, credentials.password, after: error)
        }
    }

    /// Retries the login with the name as a username. If the site accepts no usernames, throws the first error.
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
    /// - Throws: an error if a step is pending, if the response contains no session, or if it names another user. The
    ///   error for an unverified e-mail contains the token of the unfinished login.
    func logIn(
        from answer: AllauthResponse, _ operation: Operation, _ known: User
    ) throws(BackendError) -> NewSession {
        guard answer.status == 200 else {
            throw AllauthErrors.error(for: answer, operation, masker).pending(answer.session)
        }
        guard let session = answer.session else {
            throw .holdsNoSession(status: answer.status)
        }
        let user = AllauthPayloads.user(answer.data) ?? known
        if user.isAnother(than: known) { throw .sessionOfOtherUser }
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
        let second = try send(endpoints.authenticate(code: code, pending.token), .secondFactor)
        return Reply(.session(try logIn(from: second, .secondFactor, known)))
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

extension LoginName {
    /// Returns the kind of login name to try first, and the kind to try next. A name with `@` is probably an e-mail
    /// address.
    fileprivate static func guesses(_ login: String) -> (LoginName, LoginName?) {
        login.utf8.contains(UInt8(ascii: "@")) ? (.email(login), .username(login)) : (.username(login), nil)
    }
}
