import AuthModel
import JSON
import Platform
import Transport

/// The backend for Django sites with django-rest-auth or dj-rest-auth.
///
/// A site issues either a key, which all devices of a user share until a logout, or a short-lived JWT with a refresh
/// token. The response to a login shows which kind the site issues.
struct RestAuthBackend: ServerBackend {
    typealias Errors = RestAuthErrors

    let endpoints: RestAuthEndpoints
    let server: ServerClient
    /// Whether names with `@` are first sent as addresses, for the logins of a run.
    let sendsAddressFirst = Remembered<Bool>()

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        let grant = try grant(try endpoints.signUp(account))
        let known = User(username: account.username, email: account.email)
        switch grant {
        case .notice: return Reply(.waits(.emailVerification, known))
        case .nothing(let user, _): return Reply(.created(user ?? known))
        // Unexpected, because a new account has no second factor.
        case .secondFactor: return Reply(.created(known))
        case .session(let session, let user):
            guard var new = try usable(session, of: user, known) else { return Reply(.created(user ?? known)) }
            new.createdAccount = true
            let name = account.username.map(LoginName.username) ?? account.email.map(LoginName.email)
            return Reply(.session(new.named(name, known)))
        }
    }

    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        if Cookies(session.token) != nil {
            return try revoking(
                cookiesOf: session, { () throws(BackendError) in _ = try user(session, .currentUser) },
                { () throws(BackendError) in try send(endpoints.logOut(session)) })
        }
        // A site can revoke only the refresh token of a JWT session. Without it, a logout has no effect.
        guard session.refreshToken != nil || !session.isJWT else { return Reply(.unsupported) }
        do throws(BackendError) {
            try send(endpoints.logOut(session))
        } catch {
            if error.server?.code == "user_not_found" { return Reply(.already) }
            if isDead(session, error) { return Reply(.already) }
            // A disabled account has no valid session.
            guard error.reason.meansInvalidSession || error.reason == .accountDisabled else { throw error }
            return Reply(try revocation(of: session, after: error))
        }
        return Reply(try hasEnded(session) ? .yes : .unsupported)
    }

    /// Asks whether a logout that the site confirmed has revoked the session. The site confirms every logout: also of
    /// a JWT without a blacklist, and of a key that its view does not delete, such as one of django-rest-knox.
    ///
    /// - Throws: the error of the request if the response does not tell.
    private func hasEnded(_ session: Session) throws(BackendError) -> Bool {
        do throws(BackendError) {
            // A revoked refresh token is rejected by another logout.
            if session.refreshToken == nil {
                try send(endpoints.currentUser(session))
            } else {
                try send(endpoints.logOut(session))
            }
            return false
        } catch {
            if error.reason.meansInvalidSession || [.accountDisabled, .tokenRefused].contains(error.reason)
                || isDead(session, error)
            {
                return true
            }
            if let refreshToken = session.refreshToken, isRevoked(refreshToken, within: .seconds(5)) { return true }
            throw error.explaining("the response does not say whether the session was revoked")
        }
    }

    /// Interprets the error of a logout. A rejected key is already invalid. For a JWT session, the result depends on
    /// the message about the refresh token, such as `Token is blacklisted`.
    ///
    /// - Throws: `BackendError` `invalidResponse` if the message is inconclusive.
    private func revocation(of session: Session, after error: BackendError) throws(BackendError) -> Revocation {
        guard session.refreshToken != nil else { return .already }
        let text = error.server?.message ?? ""
        if ["Token ", "No active account", "User "].contains(where: text.hasPrefix) { return .already }
        // A site with `JWT_AUTH_HTTPONLY` reads the refresh token from a cookie. A signup does not tell its name.
        // `try?`: without a refresh, the message decides.
        if session.refreshCookie == nil, error.server?.status == 401, let new = try? refresh(session),
            new.refreshCookie != nil
        {
            return try logOut(new).value
        }
        if text.hasPrefix("Refresh token was not included") { return .unsupported }
        if let refreshToken = session.refreshToken, isRevoked(refreshToken, within: .seconds(5)) { return .already }
        throw BackendError(
            .invalidResponse, "the response does not say whether the session was revoked",
            server: error.server)
    }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        Reply(try user(session, .currentUser))
    }

    func user(_ session: Session, _ operation: Operation) throws(BackendError) -> User {
        do throws(BackendError) {
            return RestAuthPayloads.user(try send(endpoints.currentUser(session, operation)).object ?? [:])
        } catch {
            throw isDead(session, error) ? .dead(error) : error
        }
    }

    /// Whether a 403 response means that the token is dead: the site has the same message for an invalid token. A site
    /// whose first authentication class is cookie-based sends 403 for every fault, with a message in its own language.
    func isDead(_ session: Session, _ error: BackendError) -> Bool {
        guard error.reason == .forbidden, error.server?.status == 403, let text = error.server?.message,
            !text.hasPrefix("You do not have permission")
        else { return false }
        var invalid = session
        (invalid.token, invalid.scheme) = (Secret("0"), headers(of: session).scheme)
        // `try?`: without a response, the token is not known to be dead.
        guard let response = try? server.response(to: endpoints.currentUser(invalid)),
            response.http.status == 403, let detail = response.http.json?["detail"]?.string
        else { return false }
        return masker.mask(detail) == text
    }

    @discardableResult func send(_ call: Call) throws(BackendError) -> JSONValue {
        try checked(try server.response(to: call, mayLackSlash: true))
    }

    func checked(_ response: ServerResponse) throws(BackendError) -> JSONValue {
        let operation = response.operation
        do throws(BackendError) {
            return try RestAuthErrors.check(response)
        } catch {
            // The view itself rejects the account, such as one without an invitation.
            if operation == .signUp, response.http.status == 404, let text = error.server?.message,
                !isMissing(endpoints.signUpView)
            {
                throw BackendError(.invalidFields, "the request was rejected: \"\(text)\"", server: error.server)
            }
            let isMissing = [404, 405].contains(response.http.status) && error.reason != .notFound
            guard RestAuthErrors.view(for: operation) != nil || operation == .refresh, isMissing,
                operation == .logIn || self.isMissing(endpoints.logInView), !hasUserView
            else { throw error }
            throw BackendError(.wrongEndpoint, RestAuthErrors.noSite, server: error.server)
        }
    }

    /// Sends a request whose response issues tokens. Returns the object in the body, and the cookies in which the site
    /// sets the refresh token and the token, without their values. If the body has a token but no refresh token, adds the
    /// one of its cookie as `refresh`. A refresh token is not read from a cookie if other machines can read the
    /// connection.
    ///
    /// With `JWT_AUTH_HTTPONLY`, which is on by default, dj-rest-auth sends refresh tokens only in a cookie. The site
    /// chooses the name of the cookie. Source: dj-rest-auth 7.2, `jwt_auth.py`.
    func sendForTokens(
        _ call: Call
    ) throws(BackendError) -> (object: JSONObject, refreshCookie: Cookie?, accessCookie: Cookie?, all: Cookies) {
        let response = try server.response(to: call, mayLackSlash: true)
        var (object, refresh, access) = (try checked(response).object ?? [:], Cookie?.none, Cookie?.none)
        let tokens = RestAuthPayloads.Tokens(object)
        let lacksToken = tokens != nil && tokens?.refreshToken?.filledText == nil
        let isConfidential = URLParts(endpoints.base)?.isConfidential == true
        for field in response.http.headers.values("Set-Cookie") {
            guard let cookie = Cookie(setBy: field, to: call.request.url) else { continue }
            let value = JSONValue.string(cookie.value.reveal())
            guard JWT.payload(of: cookie.value)?["token_type"] == "refresh" else {
                if value == tokens?.token { access = cookie.holding(Secret("")) }
                continue
            }
            // Even a token that is not used must not be shown.
            masker.register(cookie.value)
            guard isConfidential, lacksToken || value == tokens?.refreshToken else { continue }
            if lacksToken { object["refresh"] = value }
            refresh = cookie.holding(Secret(""))
        }
        return (object, refresh, access, Cookies(setBy: response.http))
    }

    /// Whether the site has the user view. If it has neither this view nor the one for logins, the base URL is wrong.
    private var hasUserView: Bool {
        // `try?`: without a response, the view is not known to exist.
        (try? server.transport.send(endpoints.userView)).map { [200, 401, 403].contains($0.status) } ?? false
    }

    /// Whether a view returns a 404 page.
    private func isMissing(_ view: HTTPRequest) -> Bool {
        // `try?`: if there is no response, the view may exist.
        guard let response = try? server.transport.send(view) else { return false }
        return response.status == 404 && (view == endpoints.signUpView || response.json == nil)
    }

    func grant(_ call: Call) throws(BackendError) -> RestAuthPayloads.Grant {
        let (object, cookie, accessCookie, cookies) = try sendForTokens(call)
        let grant = try RestAuthPayloads.grant(object, at: server.clock.now(), masker)
        // The session cookie counts only without a token. Source: dj-rest-auth 7.2, `SESSION_LOGIN`.
        if case .nothing(let user, members: []) = grant, call.operation != .signUp, cookies.hasSession {
            let session = Session(token: cookies.token, createdAt: server.clock.now())
            masker.register(session)
            return .session(session, user)
        }
        guard case .session(var session, let user) = grant else { return grant }
        (session.refreshCookie, session.accessCookie) = (cookie, accessCookie)
        return .session(session, user)
    }

    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        var answer = try answer(to: request, below: base, session.map(headers))
        if let session, base == nil, let error = answer.error, isDead(session, error) {
            answer.error = .dead(error)
        }
        return Reply(answer)
    }
}

extension RestAuthBackend: BrowserSessionStoring {
    func browserState(of session: Session, _ saved: User, for page: BrowserPage) -> BrowserState? {
        if let cookies = Cookies(session.token) { return cookies.browserState(at: endpoints.base) }
        guard let access = session.accessCookie else { return nil }
        let refresh = session.refreshToken.flatMap { session.refreshCookie?.holding($0) }
        return BrowserState(
            cookies: [access.holding(session.presentedToken, until: session.expiresAt)]
                + [refresh].compactMap(\.self))
    }
}

extension BackendError {
    /// The error for a dead session, with the details of the response.
    fileprivate static func dead(_ error: BackendError) -> BackendError {
        var dead = BackendError.sessionRevoked
        dead.server = error.server
        return dead
    }
}
