import AuthModel
import JSON
import Platform
import Transport

/// The backend for Django sites with allauth's headless API.
struct AllauthBackend: Backend {
    let endpoints: AllauthEndpoints
    let server: ServerClient

    var masker: Masker { server.masker }

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        let answer = try send(endpoints.signUp(account), .signUp)
        let known = User(username: account.username, email: account.email)
        guard answer.status == 401 else {
            guard let session = answer.session else { return Reply(.created(known)) }
            let user = AllauthPayloads.user(answer.data) ?? known
            return Reply(.session(NewSession(user: user, session: session, createdAccount: true)))
        }
        guard answer.pending.contains(.verifyEmail) else { return Reply(.created(known)) }
        // The signup is uncertain: the site sends the same response if another account has the e-mail address.
        return Reply(.pending(Pending(.emailVerification, token: answer.session?.token, isCertain: false), known))
    }

    func logIn(_ credentials: Credentials) throws(BackendError) -> Reply<LogInOutcome> {
        let answer = try answer(to: credentials)
        return Reply(.session(try logIn(from: answer, .logIn, User(login: credentials.login))))
    }

    /// A 401 confirms the logout, but allauth also sends 401 for an expired JWT. A JWT is therefore validated first.
    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        do throws(BackendError) {
            _ = try send(endpoints.logOut(session.isJWT ? try good(session) : session), .logOut)
            return Reply(.yes)
        } catch {
            guard error.reason.meansInvalidSession else { throw error }
            return Reply(.already)
        }
    }

    /// Validates a session, and refreshes it if necessary. Returns the valid session.
    ///
    /// - Throws: `BackendError` `sessionRevoked` for status 410; `outcomeUnknown` for 401 if the session cannot be
    ///   refreshed.
    private func good(_ session: Session) throws(BackendError) -> Session {
        do throws(BackendError) {
            _ = try send(endpoints.currentUser(session), .currentUser)
            return session
        } catch {
            guard error.reason.meansInvalidSession, error.server?.status != 410 else { throw error }
        }
        do throws(BackendError) {
            return try refresh(session)
        } catch {
            guard error.reason.meansInvalidSession else { throw error }
            throw BackendError(.outcomeUnknown, "the session can neither be used nor refreshed", server: error.server)
        }
    }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        try following(session) { session throws(BackendError) in try currentUser(&session) }
    }

    func currentUser(_ session: inout Session) throws(BackendError) -> User {
        let answer = try send(.currentUser, as: &session, endpoints.currentUser)
        guard let user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
        return user
    }
}

// MARK: - Requests

extension AllauthBackend {
    func send(_ request: HTTPRequest, _ operation: Operation) throws(BackendError) -> AllauthResponse {
        try AllauthErrors.check(try server.response(to: request, operation))
    }

    /// Sends a request with a session, and updates `session` if the response contains a new one.
    func send(
        _ operation: Operation, as session: inout Session, _ request: (Session) -> HTTPRequest
    ) throws(BackendError) -> AllauthResponse {
        let answer = try send(request(session), operation)
        if answer.isAuthenticated, let new = answer.session { session = new.succeeding(session) }
        return answer
    }

    /// Runs a closure that sends requests with a session. If the site replaces the session, the reply or the error
    /// contains the new one.
    func following<Value>(
        _ session: Session, _ ask: (inout Session) throws(BackendError) -> Value
    ) throws(BackendError) -> Reply<Value> {
        var current = session
        do throws(BackendError) {
            let value = try ask(&current)
            return Reply(value, replacement: current == session ? nil : current)
        } catch {
            var error = error
            error.replacement = error.replacement?.succeeding(session) ?? (current == session ? nil : current)
            throw error
        }
    }
}

extension AllauthBackend: SiteDescribing {
    func site() throws(BackendError) -> SiteTraits {
        SiteTraits(try send(endpoints.configuration(), .describeSite).data)
    }
}

extension BackendError {
    /// Adds the session token to the error for an unverified e-mail, so that a code can complete the login.
    ///
    /// For a missing second factor, no token is added: the user repeats the password login with the one-time code.
    func pending(_ session: Session?) -> BackendError {
        guard self.reason == .emailUnverified else { return self }
        var error = self
        if let token = session?.token {
            error.state = .unfinishedLogin(token)
            error.nextSteps = [
                NextStep(
                    "follow the link in the e-mail, or enter its code", run: ["verify-email", "--key-stdin"])
            ]
        }
        return error
    }
}

extension Session {
    /// Returns this session with the id and creation time of the session that it replaces.
    fileprivate func succeeding(_ earlier: Session) -> Session {
        var session = self
        session.id = earlier.id
        session.createdAt = earlier.createdAt
        return session
    }
}

extension AllauthBackend: BrowserSessionStoring {
    /// The session token is the key of a Django session. Source: allauth 65.21, `headless/internal/sessionkit.py`.
    func browserEntry(of session: Session, _ saved: User) throws(BackendError) -> BrowserEntry {
        guard !session.isJWT else {
            throw BackendError(.unsupported, "the site issues JWTs, which its pages do not accept as a session cookie")
        }
        return .cookie(usualName: "sessionid", value: session.token)
    }
}

extension AllauthBackend {
    func headers(of session: Session) -> SessionHeaders { endpoints.headers(of: session) }

    func requestBase() throws(BackendError) -> String { try server.atOrigin().base }

    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        let answer = try server.atOrigin().send(
            request, below: base, session.map(headers), errors: AllauthErrors.self)
        let new = base == nil ? newSession(in: answer, to: request) : nil
        return Reply(answer, replacement: session.flatMap { new?.succeeding($0) })
    }

    func firstPage(of request: HTTPRequest, below base: String?) -> HTTPRequest { request }

    func page(after list: JSONList, to request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest? {
        try server.atOrigin().page(after: list, to: request, below: base)
    }

    /// Returns the new session in a response from the headless API, for example to a password change.
    private func newSession(in answer: RequestAnswer, to request: HTTPRequest) -> Session? {
        guard request.url.hasPrefix("\(endpoints.base)/"), let body = answer.heldObject else { return nil }
        let response = AllauthResponse(status: answer.response.status, .object(body), at: server.clock.now(), masker)
        return response?.isAuthenticated == true ? response?.session : nil
    }
}
