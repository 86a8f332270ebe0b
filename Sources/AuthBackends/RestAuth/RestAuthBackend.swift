import AuthModel
import JSON
import Platform
import Transport

/// The backend for Django sites with django-rest-auth or dj-rest-auth.
///
/// A site issues either a key, which all devices of a user share until a logout, or a short-lived JWT with a refresh
/// token. The response to a login shows which kind the site issues.
struct RestAuthBackend: Backend {
    let endpoints: RestAuthEndpoints
    let server: ServerClient
    /// Whether names with `@` are first sent as addresses, for the logins of a run.
    let sendsAddressFirst = Remembered<Bool>()

    var masker: Masker { server.masker }

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        let grant = try grant(endpoints.signUp(account), .signUp)
        let known = User(username: account.username, email: account.email)
        switch grant {
        case .notice: return Reply(.pending(.emailVerification, known))
        case .nothing(let user, _): return Reply(.created(user ?? known))
        // Unexpected, because a new account has no second factor.
        case .secondFactor: return Reply(.created(known))
        case .session(let session, let user):
            guard let logIn = try usable(session, of: user, known) else {
                return Reply(.created(known))
            }
            let new = NewSession(user: logIn.user, session: logIn.session, createdAccount: true)
            let name = account.username.map(LoginName.username) ?? account.email.map(LoginName.email)
            return Reply(.session(new.named(name, known)))
        }
    }

    func logIn(_ credentials: Credentials) throws(BackendError) -> Reply<LogInOutcome> {
        let (grant, name) = try grant(of: credentials)
        let known = User(login: credentials.login)
        return Reply(.session(try logIn(from: grant, known).named(name, known)))
    }

    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        // A site can revoke only the refresh token of a JWT session. Without it, a logout has no effect.
        guard session.refreshToken != nil || !session.isJWT else { return Reply(.unsupported) }
        do throws(BackendError) {
            let answer = try send(endpoints.logOut(session), .logOut)
            let text = answer["detail"]?.string ?? ""
            return Reply(text.hasPrefix("Neither cookies or blacklist are enabled") ? .unsupported : .yes)
        } catch {
            if error.server?.code == "user_not_found" { return Reply(.already) }
            // A disabled account has no valid session.
            guard error.reason.meansInvalidSession || error.reason == .accountDisabled else { throw error }
            return Reply(try revocation(of: session, after: error))
        }
    }

    /// Interprets the error of a logout. A rejected key is already invalid. For a JWT session, the result depends on
    /// the message about the refresh token, such as `Token is blacklisted`.
    ///
    /// - Throws: `BackendError` `invalidResponse` if the message is inconclusive.
    private func revocation(of session: Session, after error: BackendError) throws(BackendError) -> Revocation {
        guard session.refreshToken != nil else { return .already }
        let text = error.server?.message ?? ""
        if text.hasPrefix("Refresh token was not included") { return .unsupported }
        if ["Token ", "No active account", "User "].contains(where: text.hasPrefix) { return .already }
        throw BackendError(
            .invalidResponse, "the response does not say whether the session was revoked",
            server: error.server)
    }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        Reply(try user(session, .currentUser))
    }

    func user(_ session: Session, _ operation: Operation) throws(BackendError) -> User {
        RestAuthPayloads.user(try send(endpoints.currentUser(session), operation).object ?? [:])
    }

    func send(_ request: HTTPRequest, _ operation: Operation) throws(BackendError) -> JSONValue {
        try answer(to: request, operation).value
    }

    private func answer(
        to request: HTTPRequest, _ operation: Operation
    ) throws(BackendError) -> (value: JSONValue, response: HTTPResponse) {
        let response = try server.response(to: request, operation, mayLackSlash: true)
        do throws(BackendError) {
            return (try RestAuthErrors.check(response), response.http)
        } catch {
            let isMissing = [404, 405].contains(response.http.status) && error.reason != .notFound
            guard RestAuthErrors.view(for: operation) != nil || operation == .refresh, isMissing, isBaseURLWrong()
            else { throw error }
            throw BackendError(.wrongEndpoint, RestAuthErrors.noSite, server: error.server)
        }
    }

    /// Sends a request whose response issues tokens. Returns the object in the body. If the body has a token but no
    /// refresh token, adds the one from a cookie as `refresh`, unless other machines can read the connection.
    ///
    /// With `JWT_AUTH_HTTPONLY`, which is on by default, dj-rest-auth sends refresh tokens only in a cookie. The site
    /// chooses the name of the cookie. Source: dj-rest-auth 7.2, `jwt_auth.py`.
    func sendForTokens(_ request: HTTPRequest, _ operation: Operation) throws(BackendError) -> JSONObject {
        let (value, response) = try answer(to: request, operation)
        var object = value.object ?? [:]
        let tokens = RestAuthPayloads.Tokens(object)
        let lacksToken = tokens != nil && tokens?.refreshToken?.filledText == nil
        let isConfidential = URLParts(endpoints.base)?.isConfidential == true
        for cookie in response.headers.values("Set-Cookie") {
            // RFC 6265, section 4.1.1, allows quotes around a value.
            let value = String(
                cookie.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst().filter { !" \"".contains($0) })
            guard JWT.payload(of: Secret(value))?["token_type"] == "refresh" else { continue }
            // Even a token that is not used must not be shown.
            masker.register(value)
            if lacksToken, isConfidential { object["refresh"] = .string(value) }
        }
        return object
    }

    /// Whether the base URL is wrong: even the login view, which every site has, returns a 404 page.
    private func isBaseURLWrong() -> Bool {
        // `try?`: if there is no response, the base URL may be correct.
        guard let response = try? server.transport.send(endpoints.logInView) else { return false }
        return response.status == 404 && response.json == nil
    }

    func grant(
        _ request: HTTPRequest, _ operation: Operation
    ) throws(BackendError) -> RestAuthPayloads.Grant {
        try RestAuthPayloads.grant(try sendForTokens(request, operation), at: server.clock.now(), masker)
    }
}

extension RestAuthBackend {
    func headers(of session: Session) -> SessionHeaders { endpoints.headers(of: session) }

    func requestBase() throws(BackendError) -> String { try server.atOrigin().base }

    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        Reply(try server.atOrigin().send(request, below: base, session.map(headers), errors: RestAuthErrors.self))
    }

    func firstPage(of request: HTTPRequest, below base: String?) -> HTTPRequest { request }

    func page(after list: JSONList, to request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest? {
        try server.atOrigin().page(after: list, to: request, below: base)
    }
}
