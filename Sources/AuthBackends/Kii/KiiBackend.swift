import AuthModel
import JSON
import Platform
import Transport

/// Accounts of an application on Kii Cloud; checked against its documents only.
///
/// A token lasts until it runs out, 68 years by default: there is no request that ends one, and no list of them. A change
/// of the password ends all.
struct KiiBackend: Backend {
    let endpoints: KiiEndpoints
    let transport: any HTTPTransport
    let clock: WallClock

    func signUp(_ account: NewAccount) throws(AuthError) -> Reply<SignUpOutcome> {
        let payload = try register(KiiAccount(account))
        let user = KiiPayloads.user(payload, from: account)
        guard let session = KiiPayloads.firstSession(payload, at: clock.now()) else { return Reply(.created(user)) }
        return Reply(.session(NewSession(user: user, session: session, createdAccount: true)))
    }

    /// - Throws: `brokenAnswer` where no account is named: what says nothing did not come from Kii.
    private func register(_ account: KiiAccount) throws(AuthError) -> JSONObject {
        let payload = try answer(toSignUp: account)
        guard payload["userID"]?.identifier != nil else {
            throw AuthError(.brokenAnswer, "the response names no account", server: ServerDetail(status: 200))
        }
        return payload
    }

    /// A server that does not know the request that also grants a session has done nothing, and is asked for less.
    private func answer(toSignUp account: KiiAccount) throws(AuthError) -> JSONObject {
        do throws(AuthError) {
            return try send(endpoints.signUpWithSession(account), .signUp)
        } catch {
            guard error.server?.status == 415 else { throw error }
            return try send(endpoints.signUp(account), .signUp)
        }
    }

    func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome> {
        let request = endpoints.logIn(credentials.login, credentials.password)
        let payload = try send(request, .logIn)
        return Reply(.session(try logIn(from: payload, User(login: credentials.login), after: request)))
    }

    /// There is nothing to ask for.
    func logOut(_ session: Session) throws(AuthError) -> Reply<Revocation> { Reply(.unsupported) }

    func currentUser(_ session: Session) throws(AuthError) -> Reply<User> {
        Reply(KiiPayloads.user(try me(session)))
    }

    /// The user, as the server writes them.
    func me(_ session: Session, _ operation: Operation = .currentUser) throws(AuthError) -> JSONObject {
        try user(endpoints.currentUser(session), operation)
    }

    /// The same after a request whose secrets the server may repeat.
    func me(_ session: Session, after request: HTTPRequest) throws(AuthError) -> JSONObject {
        try user(endpoints.currentUser(session).carrying(secretsOf: request), .currentUser)
    }

    private func user(_ request: HTTPRequest, _ operation: Operation) throws(AuthError) -> JSONObject {
        let payload = try send(request, operation)
        guard payload["userID"]?.identifier != nil else { throw .namesNoUser() }
        return payload
    }

    /// The log-in that a token is: the answer holds only the id, so the user is asked for.
    ///
    /// - Parameters:
    ///   - known: what is known of the user where that fails; the log-in is done all the same.
    ///   - request: the login.
    func logIn(
        from payload: JSONObject, _ known: User, after request: HTTPRequest
    ) throws(AuthError) -> NewSession {
        let session = try session(in: payload)
        var known = known
        known.id = payload["id"]?.identifier
        // `try?`: what keeps the server from answering now does not undo the log-in.
        let user = (try? me(session, after: request)).map(KiiPayloads.user) ?? known
        if user.isAnother(than: known) { throw .sessionOfAnother }
        return NewSession(user: user, session: session, createdAccount: payload["new_user_created"]?.bool ?? false)
    }

    func session(in payload: JSONObject) throws(AuthError) -> Session {
        guard let session = KiiPayloads.session(payload, at: clock.now()) else { throw .holdsNoSession() }
        return session
    }

    func send(_ request: HTTPRequest, _ operation: Operation) throws(AuthError) -> JSONObject {
        let response = try transport.response(to: request, operation)
        return try KiiErrors.check(response, to: request, operation, now: clock.now())
    }
}

extension KiiBackend: TokenLogin {
    func logIn(token: Secret) throws(AuthError) -> Reply<NewSession> {
        let session = Session(token: token)
        let user = KiiPayloads.user(try me(session, .logInWithToken))
        return Reply(NewSession(user: user, session: session))
    }
}

extension KiiBackend: AnonymousLogin {
    /// The server makes up who they are.
    func logInAnonymously(identity: String) throws(AuthError) -> Reply<NewSession> {
        let payload = try send(endpoints.signUpWithSession(.pseudo), .logInAnonymously)
        guard let session = KiiPayloads.firstSession(payload, at: clock.now()) else {
            throw .holdsNoSession(status: 201)
        }
        return Reply(NewSession(user: KiiPayloads.user(payload), session: session, createdAccount: true))
    }
}

extension KiiBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(AuthError) -> Session {
        let refreshToken = try session.requiredRefreshToken()
        let new = try self.session(in: try send(endpoints.refresh(refreshToken).carrying(tokensOf: session), .refresh))
        return Session(
            token: new.token, refreshToken: new.refreshToken, id: session.id, createdAt: session.createdAt,
            expiresAt: new.expiresAt)
    }
}

extension KiiBackend: PasswordChangeEndsSessions {}
