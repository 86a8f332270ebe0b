import AuthModel
import JSON
import Platform
import Transport

/// Accounts of a Django site with allauth's headless API.
struct AllauthBackend: Backend {
    let endpoints: AllauthEndpoints
    let transport: any HTTPTransport
    let clock: WallClock

    func signUp(_ account: NewAccount) throws(AuthError) -> Reply<SignUpOutcome> {
        let answer = try send(endpoints.signUp(account), .signUp)
        let known = User(username: account.username, email: account.email, fields: account.fields)
        guard answer.status == 401 else {
            guard let session = answer.session else { return Reply(.created(known)) }
            let user = AllauthPayloads.user(answer.data) ?? known
            return Reply(.session(LogIn(user: user, session: session, createdAccount: true)))
        }
        guard answer.pending.contains(.verifyEmail) else { return Reply(.created(known)) }
        // Somebody who has that address already gets the same answer.
        return Reply(.pending(Pending(.emailVerification, token: answer.session?.token, isCertain: false), known))
    }

    func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome> {
        let answer = try answer(to: credentials)
        return Reply(.session(try logIn(from: answer, .logIn, User(login: credentials.login))))
    }

    /// 401 is what a log-out ends with. A web token that has run out would bring the same, so it is renewed before.
    func logOut(_ session: Session) throws(AuthError) -> Reply<Revocation> {
        do throws(AuthError) {
            let live = session.refreshToken == nil ? session : try refresh(session)
            _ = try send(endpoints.logOut(live), .logOut)
            return Reply(.yes)
        } catch {
            guard error.reason.meansDeadSession else { throw error }
            return Reply(.already)
        }
    }

    func currentUser(_ session: Session) throws(AuthError) -> Reply<User> {
        let answer = try send(endpoints.currentUser(session), .session)
        guard let user = AllauthPayloads.user(answer.data) else { throw .namesNobody }
        return Reply(user, replacement: session.replaced(by: answer))
    }

    func send(_ request: HTTPRequest, _ call: AllauthErrors.Call) throws(AuthError) -> AllauthAnswer {
        let response = try transport.answer(to: request, doubt: call.doubt)
        return try AllauthErrors.check(response, to: request, call, now: clock.now())
    }
}

extension AllauthBackend: SiteDescribing {
    func site() throws(AuthError) -> SiteTraits {
        SiteTraits(try send(endpoints.configuration(), .configuration).data)
    }
}

extension AuthError {
    /// The same error, interrupting what the server can go on with where a mailed code comes.
    func pending(_ session: Session?) -> AuthError {
        var error = self
        if error.reason == .emailUnverified { error.pendingToken = session?.token }
        return error
    }

    static let namesNobody = AuthError(.brokenAnswer, "the server's answer names no user")
}

extension Session {
    /// The session that an answer gives in the place of this one; `nil` if it goes on.
    func replaced(by answer: AllauthAnswer) -> Session? {
        guard answer.isAuthenticated, var session = answer.session else { return nil }
        session.id = id
        session.createdAt = createdAt
        return session
    }
}
