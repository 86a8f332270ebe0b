import AuthModel
import JSON
import Platform
import Transport

/// The backend for applications on Kii Cloud. The backend was checked only against Kii's documentation, never against
/// a server.
///
/// A token is valid until it expires, by default after 68 years. The API cannot revoke or list tokens, but a password
/// change revokes all tokens of the user.
struct KiiBackend: ServerBackend {
    typealias Errors = KiiErrors

    let endpoints: KiiEndpoints
    let server: ServerClient

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        let account = account.namedAsKiiRequires
        let payload = try send(endpoints.signUp(try account.kiiFields()))
        // Every signup response from Kii contains the user's id.
        guard payload["userID"]?.identifier != nil else {
            throw BackendError(.invalidResponse, "the response names no account", server: ServerDetail(status: 200))
        }
        let user = KiiPayloads.user(payload, from: account)
        guard let session = KiiPayloads.firstSession(payload, at: server.clock.now(), masker) else {
            return Reply(.created(user))
        }
        return Reply(.session(NewSession(user: user, session: session, createdAccount: true)))
    }

    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        let (call, known) = (endpoints.logIn(credentials.login, credentials.password), User(login: credentials.login))
        return Reply(try LogInOutcome(try logIn(from: try send(call), known)))
    }

    /// Kii's API has no logout request.
    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> { Reply(.unsupported) }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        Reply(KiiPayloads.me(try me(session)))
    }

    /// Requests the user, and returns the response unchanged.
    func me(_ session: Session, _ operation: Operation = .currentUser) throws(BackendError) -> JSONObject {
        let payload = try send(endpoints.currentUser(session, operation))
        guard payload["userID"]?.identifier != nil else { throw .namesNoUser() }
        return payload
    }

    /// Reads the session of a login response. Then requests the user, because the response names the user only by id.
    ///
    /// - Parameter known: the user to return if the request for the user fails.
    func logIn(from payload: JSONObject, _ known: User) throws(BackendError) -> NewSession {
        let session = try session(in: payload)
        var known = known
        known.id = payload["id"]?.identifier
        // `try?`: a failed request for the user does not undo the login.
        let user = (try? me(session)).map(KiiPayloads.me) ?? known
        if user.isAnother(than: known) { throw .sessionOfOtherUser }
        return NewSession(user: user, session: session, createdAccount: payload["new_user_created"]?.bool ?? false)
    }

    func session(in payload: JSONObject) throws(BackendError) -> Session {
        try KiiPayloads.session(payload, at: server.clock.now(), masker).orNoSession()
    }

    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        let session = Session(token: token)
        let user = KiiPayloads.me(try me(session, .logInWithToken))
        return Reply(NewSession(user: user, session: session))
    }

    func requestServer() -> ServerClient { server }

    func firstPage(of request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest {
        guard base != nil else { throw BackendError(.unsupported, "backend 'kii' has no lists with pages") }
        return request
    }
}

extension KiiBackend: AnonymousLogin {
    /// Ignores `identity`, because the server generates one.
    func logInAnonymously(identity: String) throws(BackendError) -> Reply<NewSession> {
        let payload = try send(endpoints.signUp([:], .logInAnonymously))
        guard let session = KiiPayloads.firstSession(payload, at: server.clock.now(), masker) else {
            throw .holdsNoSession(status: 201)
        }
        return Reply(NewSession(user: KiiPayloads.user(payload), session: session, createdAccount: true))
    }
}

extension KiiBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        let refreshToken = try session.requiredRefreshToken()
        let new = try self.session(in: try send(endpoints.refresh(refreshToken)))
        return Session(
            token: new.token, refreshToken: new.refreshToken, id: session.id, createdAt: session.createdAt,
            expiresAt: new.expiresAt)
    }
}
