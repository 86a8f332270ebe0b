import AuthModel
import Transport

/// From names, passwords and what a site gives for them to a session.
extension RestAuthBackend {
    /// What the site gives for a name and a password.
    func grant(of credentials: Credentials) throws(AuthError) -> RestAuthPayloads.Grant {
        let name = LogInName(credentials.login)
        do throws(AuthError) {
            return try grant(request(for: credentials), .logIn)
        } catch {
            // A user name may hold the sign without being an e-mail. The password was not looked at.
            guard case .either(let login) = name, error.reason == .invalidFields,
                error.fields.contains(where: { $0.field == "email" })
            else { throw error }
            return try grant(endpoints.logIn(.username(login), credentials.password), .logIn)
        }
    }

    /// The login, whose secrets and names all requests carry that follow it.
    func request(for credentials: Credentials) -> HTTPRequest {
        endpoints.logIn(LogInName(credentials.login), credentials.password)
    }

    /// The log-in that a grant is.
    ///
    /// - Parameters:
    ///   - known: what is known of the user without an answer.
    ///   - request: the request that brought the grant.
    /// - Throws: `AuthError` `secondFactorRequired`; `unsupported` if the site gives no session that can be used.
    func logIn(
        from grant: RestAuthPayloads.Grant, _ known: User, after request: HTTPRequest
    ) throws(AuthError) -> NewSession {
        switch grant {
        case .session(let session, let user):
            if let logIn = try usable(session, of: user, known, after: request) {
                if logIn.user.isAnother(than: known) { throw .sessionOfAnother }
                return logIn
            }
            throw AuthError(
                .unsupported, "the site issues a token, but does not accept it",
                next: "add TokenAuthentication to DEFAULT_AUTHENTICATION_CLASSES in the site's REST_FRAMEWORK settings")
        case .secondFactor:
            throw AuthError(.secondFactorRequired, "the account requires a second factor")
        case .notice, .nothing:
            throw AuthError(
                .unsupported, "the site issues no token: it uses cookie sessions, which authctl does not support",
                next: "set TOKEN_MODEL or USE_JWT in the site's REST_AUTH settings")
        }
    }

    /// The log-in with a session that was just given; `nil` if the server does not accept what it gave.
    ///
    /// A key comes without its user, so that is asked for.
    ///
    /// - Parameters:
    ///   - known: what is known of the user without an answer.
    ///   - request: the request that brought the session.
    func usable(
        _ session: Session, of user: User?, _ known: User, after request: HTTPRequest
    ) throws(AuthError) -> NewSession? {
        if let user { return NewSession(user: user, session: session) }
        do throws(AuthError) {
            let object = try send(endpoints.currentUser(session).carrying(secretsOf: request), .currentUser).object
            return NewSession(user: RestAuthPayloads.user(object ?? [:]), session: session)
        } catch {
            // The log-in is done and stays so, whatever became of the second question.
            return error.reason.meansDeadSession ? nil : NewSession(user: known, session: session)
        }
    }
}

extension RestAuthBackend: TokenLogin {
    func logIn(token: Secret) throws(AuthError) -> Reply<NewSession> {
        let session = Session(foreign: token)
        return Reply(NewSession(user: try user(session, .logInWithToken), session: session))
    }
}

extension RestAuthBackend: SecondFactor {
    /// An account without a second factor is logged in with its password alone.
    func logIn(_ credentials: Credentials, code: Secret) throws(AuthError) -> Reply<LogInOutcome> {
        var request = request(for: credentials)
        var grant = try grant(of: credentials)
        if case .secondFactor(let token) = grant {
            request = endpoints.verify(code, token).carrying(secretsOf: request)
            grant = try self.grant(request, .secondFactor)
        }
        return Reply(.session(try logIn(from: grant, User(login: credentials.login), after: request)))
    }
}

extension RestAuthBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(AuthError) -> Session {
        let refreshToken = try session.requiredRefreshToken()
        let answer = try send(endpoints.refresh(refreshToken).carrying(tokensOf: session), .refresh)
        guard let token = Secret(token: answer["access"]) else {
            throw .holdsNoUsableSession
        }
        return session.refreshed(token, refreshToken: answer["refresh"], at: clock.now())
    }
}

extension RestAuthBackend: SessionSharing {
    func isShared(_ session: Session) -> Bool { !session.isJWT }
}
