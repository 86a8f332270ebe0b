import AuthModel
import Transport

/// Login with a password, and the functions that read the session in the response to any login.
extension RestAuthBackend {
    /// Sends a name with `@` as a username, because it may be one, and allauth looks it up as an e-mail address, too. If
    /// the site may take it only as an address, sends it once more. The order that worked is kept.
    func grant(
        of credentials: Credentials
    ) throws(BackendError) -> (grant: RestAuthPayloads.Grant, name: LoginName) {
        let (login, password) = (credentials.login, credentials.password)
        var names: [LoginName] = [.username(login)]
        if login.utf8.contains(UInt8(ascii: "@")) {
            names.insert(.email(login), at: sendsAddressFirst.value ?? (credentials.known == .email(login)) ? 0 : 1)
        }
        let first: BackendError
        do throws(BackendError) {
            return (try grant(endpoints.logIn(names[0], password, credentials.fields)), names[0])
        } catch {
            guard names.count > 1, mayTakeOtherKind(than: names[0], error) else { throw error }
            first = error
        }
        do throws(BackendError) {
            let grant = try grant(endpoints.logIn(names[1], password, credentials.fields))
            sendsAddressFirst.value = names[1] == .email(login)
            return (grant, names[1])
        } catch {
            throw names[0] == .email(login) || error.reason == .invalidFields ? first : error
        }
    }

    /// Whether the site may take the login name as another kind: no refusal in English, which every package sends, tells
    /// that it has checked the password. Without allauth, a site looks up addresses only in the field `email`.
    private func mayTakeOtherKind(than name: LoginName, _ error: BackendError) -> Bool {
        guard error.server?.status == 400, [.invalidFields, .wrongPassword].contains(error.reason) else { return false }
        guard case .username = name, error.reason == .wrongPassword, let text = error.server?.message,
            RestAuthErrors.usualRefusals.contains(text)
        else { return true }
        // `try?`: without a response, the refusal counts. Source: dj-rest-auth 7.2, `LoginSerializer.validate`.
        let answer = try? server.transport.send(endpoints.signUpView)
        return answer?.status == 404 && answer?.json == nil
    }

    /// Reads the session of a login response.
    ///
    /// - Parameter known: the user as known from the request.
    /// - Throws: `BackendError` `secondFactorRequired`; `unsupported` if the site issues no usable token.
    func logIn(
        from grant: RestAuthPayloads.Grant, _ known: User
    ) throws(BackendError) -> NewSession {
        switch grant {
        case .session(let session, let user) where Cookies(session.token) != nil:
            return try withCookies(session, of: user)
        case .session(let session, let user):
            if let logIn = try usable(session, of: user, known) { return logIn }
            throw BackendError(
                .unsupported, "the site issues a token, but does not accept it",
                nextSteps: ["check DEFAULT_AUTHENTICATION_CLASSES in the site's REST_FRAMEWORK settings", .setScheme])
        case .secondFactor:
            throw BackendError(.secondFactorRequired, "the account requires a second factor")
        case .nothing(_, let members) where !members.isEmpty:
            let names = members.map { "'\($0)'" }.joined(separator: ", ")
            throw BackendError(
                .unsupported, "the response has no token under a known name, only \(names)",
                next: "name the token 'key' or 'access' in the site's TOKEN_SERIALIZER or JWT_SERIALIZER")
        case .notice, .nothing:
            throw BackendError(
                .unsupported, "the site issues neither a token nor a session cookie", next: .issueTokens)
        }
    }

    /// Requests the user, which alone shows that the site's API accepts the session cookie.
    private func withCookies(_ session: Session, of user: User?) throws(BackendError) -> NewSession {
        do throws(BackendError) {
            let current = try self.user(session, .currentUser)
            return NewSession(user: user ?? current, session: renewed(session) ?? session)
        } catch {
            guard [401, 403].contains(error.server?.status) else { throw error }
            throw BackendError(
                .unsupported, "the site issues no token, and its API does not accept the session cookie",
                next: .issueTokens, server: error.server)
        }
    }

    /// Returns the new session with its user; `nil` if the server rejects the session.
    ///
    /// Requests the user, which shows whether the server accepts the session. A response with a key contains only the
    /// key.
    ///
    /// - Parameters:
    ///   - user: the user in the login response.
    ///   - known: the user as known from the request.
    func usable(
        _ session: Session, of user: User?, _ known: User
    ) throws(BackendError) -> NewSession? {
        var session = session
        do throws(BackendError) {
            let current = try requestUser(of: &session, .currentUser)
            return NewSession(user: user ?? current, session: session)
        } catch {
            let status = error.server?.status ?? 0
            // A token that is not valid yet by the site's clock will be accepted.
            guard status != 401 || error.reason == .serverFault else { return nil }
            // The login succeeded, even if this second request failed.
            var new = NewSession(user: user ?? known, session: session)
            if !(200..<300).contains(status) { new.doubt = error }
            if status == 403 { new.doubt?.nextSteps = [.setScheme] }
            return new
        }
    }

    /// Requests the user of a new session. If the site rejects the word before the token, and names other words, tries
    /// these. Source: Django REST framework, `TokenAuthentication.keyword`; simplejwt, `AUTH_HEADER_TYPES`.
    ///
    /// - Parameter session: gets the word that the site does not reject.
    private func requestUser(of session: inout Session, _ operation: Operation) throws(BackendError) -> User {
        var response = try server.response(to: endpoints.currentUser(session, operation), mayLackSlash: true)
        let others = endpoints.scheme == nil && response.http.status == 401 ? response.http.schemes : []
        for word in others.prefix(3) where word.lowercased() != headers(of: session).scheme?.lowercased() {
            var other = session
            other.scheme = word
            let answer = try server.response(to: endpoints.currentUser(other, operation), mayLackSlash: true)
            guard answer.http.status == 401 else {
                (session, response) = (other, answer)
                break
            }
        }
        return RestAuthPayloads.user(try checked(response).object ?? [:])
    }
}

extension RestAuthBackend {
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        var session = Session(foreign: token)
        do throws(BackendError) {
            let user = try requestUser(of: &session, .logInWithToken)
            return Reply(NewSession(user: user, session: session))
        } catch {
            var error = error
            if isDead(session, error) { error.reason = .tokenRefused }
            throw error
        }
    }
}

extension RestAuthBackend {
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        Reply(try LogInOutcome(try newSession(credentials, code)))
    }

    private func newSession(_ credentials: Credentials, _ code: Secret?) throws(BackendError) -> NewSession {
        var (grant, name) = try grant(of: credentials)
        if case .secondFactor(let token) = grant, let code {
            grant = try self.grant(endpoints.verify(code, token))
        }
        let known = User(login: credentials.login)
        return try logIn(from: grant, known).named(name, known)
    }
}

extension NewSession {
    /// Keeps the name of the login if the user view does not show it as that kind.
    ///
    /// - Parameter known: the names from the request, for a site that shows none.
    func named(_ name: LoginName?, _ known: User) -> NewSession {
        var new = self
        if name != user.username.map(LoginName.username) { new.session.loginName = name }
        new.user = user.keepingNames(of: known)
        return new
    }
}

extension RestAuthBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        let refreshToken = try session.requiredRefreshToken()
        let (answer, cookie, accessCookie, _) = try sendForTokens(endpoints.refresh(refreshToken))
        guard let tokens = RestAuthPayloads.Tokens(answer), let token = Secret(token: tokens.token, masker) else {
            throw .holdsNoUsableSession
        }
        var new = session.refreshed(token, refreshToken: tokens.refreshToken, at: server.clock.now(), masker)
        new.refreshCookie = cookie ?? new.refreshCookie
        new.accessCookie = accessCookie ?? new.accessCookie
        return new
    }

    /// Some sites revoke the refresh token in a refresh without sending a new one: they rotate refresh tokens and have
    /// `JWT_AUTH_HTTPONLY`, but no `JWT_AUTH_REFRESH_COOKIE`.
    func isRevoked(_ refreshToken: Secret, within limit: Duration) -> Bool {
        // `try?`: without a response, the token may be valid.
        guard let response = try? server.response(to: endpoints.verify(refreshToken, within: limit)).http,
            let body = response.json
        else { return false }
        return response.status == 400
            || response.status == 401 && DjangoFaults(body, masker).code == "token_not_valid"
    }
}

extension RestAuthBackend: SessionSharing {
    /// A key that expires is one of several, as with django-rest-knox.
    func isShared(_ session: Session) -> Bool {
        !session.isJWT && session.expiresAt == nil && Cookies(session.token) == nil
    }
}

extension NextStep {
    fileprivate static let issueTokens: NextStep = "set TOKEN_MODEL or USE_JWT in the site's REST_AUTH settings"
}
