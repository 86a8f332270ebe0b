import AuthModel
import Transport

/// Login with a password, and the functions that read the session in the response to any login.
extension RestAuthBackend {
    func grant(of credentials: Credentials) throws(BackendError) -> RestAuthPayloads.Grant {
        let name = LoginName(credentials.login)
        do throws(BackendError) {
            return try grant(endpoints.logIn(name, credentials.password), .logIn)
        } catch {
            // The name may be a username with `@`. The site rejected it as an address and did not check the password.
            guard case .either(let login) = name, error.reason == .invalidFields,
                error.fields.contains(where: { $0.field == "email" })
            else { throw error }
            return try grant(endpoints.logIn(.username(login), credentials.password), .logIn)
        }
    }

    /// Reads the session of a login response.
    ///
    /// - Parameter known: the user as known from the request.
    /// - Throws: `BackendError` `secondFactorRequired`; `unsupported` if the site issues no usable token;
    ///   `invalidResponse` if the response contains a session of another user.
    func logIn(
        from grant: RestAuthPayloads.Grant, _ known: User
    ) throws(BackendError) -> NewSession {
        switch grant {
        case .session(let session, let user):
            if let logIn = try usable(session, of: user, known) {
                if logIn.user.isAnother(than: known) { throw .sessionOfOtherUser }
                return logIn
            }
            throw BackendError(
                .unsupported, "the site issues a token, but does not accept it",
                next: "add TokenAuthentication to DEFAULT_AUTHENTICATION_CLASSES in the site's REST_FRAMEWORK settings")
        case .secondFactor:
            throw BackendError(.secondFactorRequired, "the account requires a second factor")
        case .nothing(_, let members) where !members.isEmpty:
            let names = members.map { "'\($0)'" }.joined(separator: ", ")
            throw BackendError(
                .unsupported, "the response has no token under a known name, only \(names)",
                next: "name the token 'key' or 'access' in the site's TOKEN_SERIALIZER or JWT_SERIALIZER")
        case .notice, .nothing:
            throw BackendError(
                .unsupported, "the site issues no token: it uses cookie sessions, which authctl does not support",
                next: "set TOKEN_MODEL or USE_JWT in the site's REST_AUTH settings")
        }
    }

    /// Returns the new session with its user; `nil` if the server rejects the session.
    ///
    /// Requests the user if the login response contains none. A response with a key contains only the key.
    ///
    /// - Parameter known: the user as known from the request.
    func usable(
        _ session: Session, of user: User?, _ known: User
    ) throws(BackendError) -> NewSession? {
        if let user { return NewSession(user: user, session: session) }
        do throws(BackendError) {
            let object = try send(endpoints.currentUser(session), .currentUser).object
            return NewSession(user: RestAuthPayloads.user(object ?? [:]), session: session)
        } catch {
            // Unless the session is invalid, the login succeeded, even if this second request failed.
            return error.reason.meansInvalidSession ? nil : NewSession(user: known, session: session)
        }
    }
}

extension RestAuthBackend {
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        let session = Session(foreign: token)
        return Reply(NewSession(user: try user(session, .logInWithToken), session: session))
    }
}

extension RestAuthBackend: SecondFactor {
    /// If the account has no second factor, the code is not sent.
    func logIn(_ credentials: Credentials, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        var grant = try grant(of: credentials)
        if case .secondFactor(let token) = grant {
            grant = try self.grant(endpoints.verify(code, token), .secondFactor)
        }
        return Reply(.session(try logIn(from: grant, User(login: credentials.login))))
    }
}

extension RestAuthBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        let refreshToken = try session.requiredRefreshToken()
        let answer = try sendForTokens(endpoints.refresh(refreshToken), .refresh)
        guard let tokens = RestAuthPayloads.Tokens(answer), let token = Secret(token: tokens.token, masker) else {
            throw .holdsNoUsableSession
        }
        return session.refreshed(token, refreshToken: tokens.refreshToken, at: server.clock.now(), masker)
    }

    /// Some sites revoke the refresh token in a refresh without sending a new one: they rotate refresh tokens and have
    /// `JWT_AUTH_HTTPONLY`, but no `JWT_AUTH_REFRESH_COOKIE`.
    func isRevoked(_ refreshToken: Secret, within limit: Duration) -> Bool {
        // `try?`: without a response, the token may be valid.
        let answer = (try? server.response(to: endpoints.verify(refreshToken, within: limit), .refresh))?.http.json
        return answer?["code"] == "token_not_valid" || answer?["non_field_errors"] == ["Token is blacklisted"]
    }
}

extension RestAuthBackend: SessionSharing {
    func isShared(_ session: Session) -> Bool { !session.isJWT }
}
