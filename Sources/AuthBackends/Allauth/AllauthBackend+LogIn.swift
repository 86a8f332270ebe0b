import AuthModel

/// Logins with a password, a token or a second factor; token refresh.
extension AllauthBackend {
    /// Sends a login. If the site rejects the kind of name, sends it as the next kind.
    func answer(to credentials: Credentials) throws(BackendError) -> AllauthResponse {
        let names = names(of: credentials.login)
        do throws(BackendError) {
            return try send(endpoints.logIn(names[0], credentials.password))
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
            return try send(endpoints.logIn(name, password))
        } catch {
            throw error.isOfOtherKind ? first : error
        }
    }

    /// Reads a login response.
    ///
    /// - Parameter known: the user's data in the request.
    func outcome(
        of answer: AllauthResponse, _ operation: Operation, _ known: User
    ) throws(BackendError) -> LogInOutcome {
        guard answer.status == 200 else {
            var (error, token) = (AllauthErrors.error(for: answer, operation, masker), answer.session?.token)
            if error.reason == .emailUnverified, token != nil {
                error.nextSteps = [
                    NextStep("follow the link in the e-mail, or enter its code", run: ["verify-email", "--key-stdin"])
                ]
            }
            let step = answer.pending.lazy.compactMap(\.step).first
            // The user repeats a login with a password together with the code of the second factor.
            if step == .secondFactor, operation == .logIn { token = nil }
            return try error.waiting(for: step, token: token)
        }
        guard let session = answer.session else {
            throw .holdsNoSession(status: answer.status)
        }
        let user = AllauthPayloads.user(answer.data)?.keepingNames(of: known) ?? known
        return .session(NewSession(user: user, session: session))
    }
}

extension AllauthBackend {
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        var session = Session(foreign: token)
        let answer = try send(as: &session) { endpoints.currentUser($0, .logInWithToken) }
        guard let user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
        return Reply(NewSession(user: user, session: session))
    }
}

extension AllauthBackend {
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        let answer = try answer(to: credentials)
        let known = User(login: credentials.login)
        guard let code, answer.status == 401, answer.pending.contains(.secondFactor), let pending = answer.session
        else {
            return Reply(try outcome(of: answer, .logIn, known))
        }
        return Reply(try confirm(code, pending.token, answer, known))
    }

    func request(_ pending: Pending, of login: String) throws(BackendError) -> Pending {
        guard pending.step == .logInCode, pending.token == nil else { return pending }
        let isEmail = login.utf8.contains(UInt8(ascii: "@"))
        let answer = try send(endpoints.requestCode(isEmail ? .email(login) : .phone(login)))
        guard answer.pending.contains(.logInByCode), let session = answer.session else { throw .holdsNoSession() }
        return Pending(.logInCode, token: session.token, isCertain: false)
    }

    /// Requests the steps that wait, because each kind of code has its own path.
    func resume(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        let state = try send(endpoints.currentUser(Session(token: pending), .secondFactor))
        return Reply(try confirm(code, pending, state, User()))
    }

    private func confirm(
        _ code: Secret, _ pending: Secret, _ state: AllauthResponse, _ known: User
    ) throws(BackendError) -> LogInOutcome {
        guard let path = state.pending.lazy.compactMap(\.codePath).first else {
            throw BackendError(
                .sessionRevoked, "the pending login has expired", server: ServerDetail(status: state.status))
        }
        return try outcome(of: try send(endpoints.confirm(code, at: path, pending)), .secondFactor, known)
    }
}

extension AllauthBackend: PasswordProving {
    func prove(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        try following(session) { session throws(BackendError) in
            try send(as: &session) { endpoints.reauthenticate(password, $0) }
        }
    }
}

extension AllauthBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        let refreshToken = try session.requiredRefreshToken()
        let answer = try send(endpoints.refresh(refreshToken))
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
