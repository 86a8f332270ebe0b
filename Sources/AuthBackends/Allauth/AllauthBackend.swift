import AuthModel
import JSON
import Platform
import Transport

/// The backend for Django sites with allauth's headless API.
struct AllauthBackend: ServerBackend {
    typealias Errors = AllauthErrors

    let endpoints: AllauthEndpoints
    let server: ServerClient
    /// The CSRF cookie of a visitor, for the API for browsers.
    private let visitor = Remembered<Cookies>()
    /// Which login names the site takes, for the logins of a run.
    private let traits = Remembered<SiteTraits>()

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        let answer = try answer(to: account)
        var known = User(username: account.username, email: account.email)
        known.phone = account.phone
        guard answer.status == 401 else {
            guard let session = answer.session else { return Reply(.created(known)) }
            let user = AllauthPayloads.user(answer.data)?.keepingNames(of: known) ?? known
            var new = NewSession(user: user, session: session, createdAccount: true)
            new.lacksPassword = AllauthPayloads.hasPassword(answer.data) == false
            return Reply(.session(new))
        }
        // The verification of an e-mail is uncertain: the site sends the same response if another account has the address.
        guard let step = answer.pending.lazy.compactMap(\.step).first else { return Reply(.created(known)) }
        let pending = Pending(step, token: answer.session?.token, isCertain: step != .emailVerification)
        return Reply(.waits(pending, known))
    }

    /// Some sites require the e-mail twice.
    private func answer(to account: NewAccount) throws(BackendError) -> AllauthResponse {
        do throws(BackendError) {
            return try send(endpoints.signUp(account))
        } catch {
            guard let email = account.email, account.fields["email2"] == nil,
                error.fields.contains(where: { $0.field == "email2" })
            else { throw error }
            var account = account
            account.fields["email2"] = .string(email)
            return try send(endpoints.signUp(account))
        }
    }

    /// A 401 confirms the logout, but allauth also sends 401 for an expired JWT. A JWT is therefore validated first.
    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        if Cookies(session.token) != nil {
            // The API for browsers sends 401 for every session that is over, too.
            return try revoking(
                cookiesOf: session,
                { () throws(BackendError) in try send(endpoints.currentUser(session, .currentUser)) },
                { () throws(BackendError) in try send(endpoints.logOut(session)) })
        }
        return try revoking { () throws(BackendError) in
            try send(endpoints.logOut(session.isJWT ? try good(session) : session))
        }
    }

    /// Validates a session, and refreshes it if necessary. Returns the valid session.
    ///
    /// - Throws: `BackendError` `sessionRevoked` for status 410; `outcomeUnknown` for 401 if the session cannot be
    ///   refreshed.
    private func good(_ session: Session) throws(BackendError) -> Session {
        do throws(BackendError) {
            try send(endpoints.currentUser(session, .currentUser))
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
        let answer = try send(as: &session) { endpoints.currentUser($0, .currentUser) }
        guard let user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
        return user
    }

    func headers(of session: Session) -> SessionHeaders { endpoints.headersOutside(of: session) }

    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        let isHeadless = base == nil && request.url.hasPrefix("\(endpoints.base)/")
        let headers = session.map { isHeadless ? endpoints.headers(of: $0) : endpoints.headersOutside(of: $0) }
        var answer = try answer(to: request, below: base, headers)
        // The site may have a word of its own before the token, which allauth's views do not name.
        if !isHeadless, answer.response.status == 401, endpoints.tokenScheme == nil, headers?.scheme != nil {
            answer.error?.nextSteps = [.setScheme, NextStep("if the session has ended, log in again", run: ["login"])]
        }
        let new = base == nil ? newSession(in: answer, to: request) : nil
        return Reply(answer, replacement: session.flatMap { new?.succeeding($0) })
    }

    /// Returns the new session in a response from the headless API, for example to a password change.
    private func newSession(in answer: RequestAnswer, to request: HTTPRequest) -> Session? {
        guard request.url.hasPrefix("\(endpoints.base)/"), let body = answer.heldObject else { return nil }
        let response = AllauthResponse(status: answer.response.status, .object(body), at: server.clock.now(), masker)
        return response?.isAuthenticated == true ? response?.session : nil
    }
}

// MARK: - Requests

extension AllauthBackend {
    @discardableResult func send(_ call: Call) throws(BackendError) -> AllauthResponse {
        do throws(BackendError) {
            return try response(to: call)
        } catch {
            // With `SOCIALACCOUNT_ONLY`, a site has no views for passwords. `try?`: else the URL is wrong.
            guard [.logIn, .signUp, .requestPasswordReset].contains(call.operation), error.server?.status == 404,
                error.reason == .wrongEndpoint, (try? site()) != nil
            else { throw error }
            throw BackendError(
                .unsupported, "the site has no passwords: users log in with an identity of another service",
                next: NextStep("log in with an identity", run: ["login", "--provider", "NAME"]), server: error.server)
        }
    }

    /// The API for browsers requires the CSRF cookie, and keeps the session in another one. Source: allauth 65.21,
    /// `headless/internal/decorators.py`.
    private func response(to call: Call) throws(BackendError) -> AllauthResponse {
        var call = call
        if endpoints.isForBrowsers, call.request.headers["Cookie"] == nil, !call.request.method.isSafe {
            if visitor.value == nil {
                visitor.value = Cookies(setBy: try server.response(to: endpoints.configuration()).http)
            }
            guard let cookies = visitor.value, cookies.csrf != nil else { throw .lacksCSRF }
            for field in SessionHeaders(cookies, of: endpoints.base).all.fields {
                call.request.headers[field.name] = field.value
            }
        }
        let response = try server.response(to: call)
        var answer = try AllauthErrors.check(response)
        guard endpoints.isForBrowsers, answer.session == nil else { return answer }
        let sent = Cookies(Secret(call.request.headers["Cookie"] ?? "")) ?? Cookies()
        var cookies = sent
        cookies.add(setBy: response.http)
        if cookies.hasSession, cookies != sent {
            answer.session = Session(token: cookies.token, createdAt: server.clock.now())
            masker.register(answer.session)
        }
        return answer
    }

    /// Sends a request with a session, and updates `session` if the response contains a new one.
    @discardableResult func send(
        as session: inout Session, _ call: (Session) -> Call
    ) throws(BackendError) -> AllauthResponse {
        let answer = try send(call(session))
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
        SiteTraits(try send(endpoints.configuration()).data)
    }

    /// The kinds of login name to send, in order. allauth looks up a username also as an e-mail address if the site takes
    /// both.
    func names(of login: String) -> [LoginName] {
        let isAddress = login.utf8.contains(UInt8(ascii: "@"))
        guard isAddress || login.hasPrefix("+") else { return [.username(login)] }
        // `try?`: without the configuration, each kind is tried.
        if traits.value == nil { traits.value = try? site() }
        guard let traits = traits.value else {
            return isAddress ? [.email(login), .username(login)] : [.username(login)]
        }
        let names: [LoginName] =
            (traits.takesPhone && !isAddress ? [.phone(login)] : []) + (traits.takesUsername ? [.username(login)] : [])
            + (traits.takesEmail && isAddress ? [.email(login)] : [])
        return names.isEmpty ? [.username(login)] : names
    }
}

extension AllauthResponse.Flow {
    /// The step that a signup or login waits for.
    var step: Pending.Step? {
        switch self {
        case .verifyEmail: .emailVerification
        case .verifyPhone: .phoneVerification
        case .logInByCode: .logInCode
        case .secondFactor: .secondFactor
        case .providerSignUp, .resetByCode, .other: nil
        }
    }
}

extension Session {
    /// Returns this session with the id and creation time of the session that it replaces.
    fileprivate func succeeding(_ earlier: Session) -> Session {
        var session = self
        session.id = earlier.id
        session.createdAt = earlier.createdAt
        if session.accessToken == nil, let token = earlier.accessToken {
            session.accessToken = token
            (session.expiresAt, session.refreshToken) = (earlier.expiresAt, earlier.refreshToken)
        }
        session.loginName = earlier.loginName
        return session
    }
}

extension AllauthBackend: BrowserSessionStoring {
    /// The session token is the key of a Django session. Source: allauth 65.21, `headless/internal/sessionkit.py`.
    func browserState(
        of session: Session, _ saved: User, for page: BrowserPage
    ) throws(BackendError) -> BrowserState? {
        if let cookies = Cookies(session.token) { return cookies.browserState(at: endpoints.base) }
        guard !session.isJWT else {
            throw BackendError(
                .unsupported, "the session is a JWT, which the site's pages do not accept as a session cookie")
        }
        let site = URLParts(endpoints.base)
        var cookie = Cookie(page.sessionCookie ?? "sessionid", session.token, domain: site?.host ?? "")
        cookie.isSecure = site?.scheme == "https"
        // The expiry is that of the access token, if there is one.
        cookie.expiresAt = session.accessToken == nil ? session.expiresAt : nil
        return BrowserState(cookies: [cookie])
    }
}
