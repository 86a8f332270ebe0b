import AuthModel
import JSON
import Platform
import Transport

/// The backend for Django sites whose users log in with a form. A session is the session cookie with the CSRF token.
///
/// No response says that a login has succeeded. A page that requires a login tells, by its responses with the session
/// and without it. Source: Django 5.2, `contrib/auth/views.py`, `middleware/csrf.py`.
struct DjangoBackend: ServerBackend, SessionsOnly {
    typealias Errors = DjangoPageErrors

    let endpoints: DjangoEndpoints
    let server: ServerClient

    /// What the site says about a session.
    enum Verdict {
        case accepted(DjangoPage)
        /// The site asks for a login.
        case refused(DjangoPage)
        /// The page does not tell whether a user is logged in.
        case unclear(DjangoPage)
    }

    /// Requests a page, and follows redirects within the site, even to the login form.
    func page(_ url: String, _ operation: Operation, _ cookies: Cookies?) throws(BackendError) -> DjangoPage {
        var page = DjangoPage(url: url, try server.response(to: endpoints.get(url, operation, cookies)))
        for _ in 0..<5 {
            guard let next = page.redirect else { break }
            let response = try server.response(to: endpoints.get(next, operation, cookies))
            page = DjangoPage(url: next, response, after: page)
        }
        return page
    }

    /// Asks the site for a page with the cookies of a session and, unless the page is known to tell, without.
    ///
    /// - Parameter mayMove: whether the page to which the URL redirects counts.
    func verdict(
        on cookies: Cookies, at url: String, isProven: Bool = false, mayMove: Bool = false
    ) throws(BackendError) -> Verdict {
        let own = try known(try page(url, .currentUser, cookies))
        if own.asksForLogin(endpoints) || isProven && own.response.isRedirect { return .refused(own) }
        guard own.isSuccess, mayMove || own.isAt(url) else {
            return own.isSuccess && own.forms.contains(where: \.isStep) ? .refused(own) : .unclear(own)
        }
        guard !isProven else { return .accepted(own) }
        let visitor = try known(try page(own.url, .currentUser, nil))
        let isPublic = visitor.isSuccess && visitor.url == own.url && !visitor.asksForLogin(endpoints)
        return isPublic ? .unclear(own) : .accepted(own)
    }

    /// - Throws: the error of a response that tells nothing about the session.
    private func known(_ page: DjangoPage) throws(BackendError) -> DjangoPage {
        guard page.response.status < 500, page.response.status != 429 else { throw Errors.error(for: page.answer) }
        return page
    }

    private func cookies(of session: Session) throws(BackendError) -> Cookies {
        guard let cookies = Cookies(session.token) else {
            throw BackendError(
                .tokenRefused, "the session is no list of cookies",
                next: "use NAME=VALUE; NAME=VALUE, as a browser sends it")
        }
        return cookies
    }

    /// Requests the page that shows whether the site accepts the session.
    private func ownPage(_ session: Session) throws(BackendError) -> DjangoPage {
        let cookies = try cookies(of: session)
        let path = endpoints.userPath ?? session.page ?? "/"
        switch try verdict(on: cookies, at: endpoints.base + path, isProven: path == session.page) {
        case .accepted(let page): return page
        case .refused(let page):
            throw BackendError(.sessionRevoked, AuthError.sessionRevoked.message, server: page.detail)
        case .unclear(let page): throw page.tellsNothing
        }
    }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        _ = try ownPage(session)
        return Reply(User())
    }

    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        var session = Session(token: token)
        do throws(BackendError) {
            session = complete(session, after: try ownPage(session))
        } catch {
            var error = error
            if error.reason == .sessionRevoked { error.reason = .tokenRefused }
            throw error
        }
        session.page = endpoints.userPath ?? "/"
        return Reply(NewSession(user: User(), session: session))
    }

    /// The session with its newest cookies. A site without a CSRF cookie keeps the token in the session, and shows it in
    /// forms. Such a token is saved like a cookie, which the site ignores.
    func complete(_ session: Session, after page: DjangoPage) -> Session {
        var session = renewed(session) ?? session
        if var cookies = Cookies(session.token), cookies.csrf == nil,
            let token = page.forms.lazy.compactMap(\.csrf).first
        {
            cookies.set(Cookies.Cookie("csrftoken", token))
            session.token = cookies.token
            server.masker.register(session)
        }
        return session
    }

    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        try revoking(
            cookiesOf: session, { () throws(BackendError) in _ = try ownPage(session) },
            { () throws(BackendError) in try end(session, from: try ownPage(session)) })
    }

    /// Sends the logout form of a page, else a form that is not on the page.
    func end(_ session: Session, from page: DjangoPage) throws(BackendError) {
        let form = page.forms.first { $0.isPosted && $0.logsOut && $0.csrf != nil }
        guard let cookies = Cookies((renewed(session) ?? session).token), let token = form?.csrf ?? cookies.csrf else {
            throw .lacksCSRF
        }
        let target = try form.map { form throws(BackendError) in try page.target(of: form) }
        let url = endpoints.namedLogout ?? target ?? endpoints.usualLogout
        let body = HTMLForm.encoded([("csrfmiddlewaretoken", token)])
        let answer = try server.response(to: endpoints.post(body, to: url, from: page.url, .logOut, cookies))
        guard answer.http.status >= 400 else { return }
        var error = Errors.error(for: answer)
        if [404, 405].contains(answer.http.status) {
            (error.reason, error.message) = (.unsupported, "the site has no logout at '\(url)'")
            error.nextSteps = [.setPath("logoutPath")]
        }
        throw error
    }

    /// A redirect to the login form is no page. With a session, it may also mean that the user lacks a right.
    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        if let session { _ = try cookies(of: session) }
        var request = request
        request.loginPath = URLParts(endpoints.login)?.path
        // A form that succeeds redirects, and may renew the session.
        if !request.method.isSafe { request.followsRedirects = false }
        var answer = try answer(to: request, below: base, session.map(headers))
        answer.mayBePage = answer.mayBePage || base == nil
        let response = answer.response
        if response.isRedirect, !request.method.isSafe, answer.refusal != .denial {
            answer.error = BackendError(
                .redirect, "the site redirects, but authctl does not repeat a \(request.method.rawValue)",
                server: ServerDetail(status: response.status))
        }
        return Reply(answer)
    }
}

extension DjangoBackend: BrowserSessionStoring {
    func browserState(of session: Session, _ saved: User, for page: BrowserPage) -> BrowserState? {
        Cookies(session.token)?.browserState(at: endpoints.base)
    }
}

/// Maps the error pages of Django, and the errors of the endpoints of the site, which mostly use Django REST framework.
enum DjangoPageErrors: ErrorTable {
    static let format: ErrorFormat? = nil
    static let writesErrorPages = true

    static func read(_ response: inout ErrorResponse) {
        let faults = DjangoFaults(response.body, response.masker)
        (response.texts, response.fields) = (faults.texts, faults.fields)
    }

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        switch response.status {
        case 401 where !response.isPage, 403 where response.meansInvalidCredentials: .sessionRevoked
        case 403 where response.meansForgery: .forbidden
        case 403 where response.operation == .logIn, 429 where response.operation == .logIn: .accountLocked
        default: nil
        }
    }

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        reason == .accountLocked ? "the site rejects logins for now (HTTP \(response.status))" : nil
    }

    static func refusal(_ response: ErrorResponse) -> Refusal? {
        response.status == 403 && response.isPage && !response.meansForgery ? .denial : response.refusalOfDjango
    }
}
