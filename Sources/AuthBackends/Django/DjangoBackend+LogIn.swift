import AuthModel
import JSON
import Platform
import Transport

extension DjangoBackend {
    /// Fills in the login form. What the site answers to that is no evidence: see `verdict`.
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        let (page, form) = try loginForm()
        let missing = form.missing(credentials.fields)
        guard missing.isEmpty else { throw .requires(missing) }
        let body = form.body(credentials.login, credentials.password, credentials.fields)
        let target = try page.target(of: form)
        let call = endpoints.post(body, to: target, from: page.url, .logIn, page.cookies)
        let answer = DjangoPage(url: target, try server.response(to: call))
        guard answer.response.status < 400 || answer.loginForm != nil else { throw Errors.error(for: answer.answer) }
        var cookies = answer.cookies
        if cookies.csrf == nil, let token = page.cookies.all.first(where: \.isCSRF) { cookies.set(token) }
        guard cookies.hasSession else { throw refusal(try next(answer, page.cookies) ?? answer, credentials.fields) }
        return Reply(.session(try proven(cookies, answer, credentials)))
    }

    private func loginForm() throws(BackendError) -> (DjangoPage, HTMLForm) {
        let page = try page(endpoints.login, .describeSite, nil)
        guard let form = page.loginForm else { throw withoutForm(page) }
        return (page, form)
    }

    /// The page to which the response to a login leads; `nil` if it is a page itself.
    private func next(_ answer: DjangoPage, _ cookies: Cookies) throws(BackendError) -> DjangoPage? {
        try answer.redirect.map { url throws(BackendError) in try page(url, .currentUser, cookies) }
    }

    private func withoutForm(_ page: DjangoPage) -> BackendError {
        let (status, answer) = (page.response.status, page.answer)
        guard status < 500, ![403, 429].contains(status) else {
            return Errors.error(
                for: ServerResponse(answer.http, to: answer.request, .logIn, at: answer.now, answer.masker))
        }
        let path = URLParts(page.url)?.path ?? page.url
        // Some sites ask for the name first, and for the password on the next page.
        let fields = page.forms.first(where: \.isStep)?.fields.filter(\.isTyped).map { "'\($0.name)'" } ?? []
        guard fields.isEmpty || !page.isSuccess else {
            return BackendError(
                .unsupported, "the form at '\(path)' has no password field, only \(fields.joined(separator: ", "))")
        }
        return BackendError(
            .wrongEndpoint, "the page '\(path)' has no login form of Django (HTTP \(status))",
            next: .setPath("loginPath"), server: page.detail)
    }

    /// Asks for the page that the profile names, else for the one to which the login leads.
    private func proven(
        _ cookies: Cookies, _ answer: DjangoPage, _ credentials: Credentials
    ) throws(BackendError) -> NewSession {
        var session = Session(token: cookies.token, createdAt: server.clock.now())
        server.masker.register(session)
        let named = endpoints.userPath.map { endpoints.base + $0 }
        guard let url = named ?? (answer.response.isRedirect ? answer.redirect : answer.url) else {
            throw answer.tellsNothing
        }
        switch try verdict(on: cookies, at: url, mayMove: named == nil) {
        case .accepted(let page):
            if named == nil, let step = [answer, page].flatMap(\.forms).first(where: \.asksForCode) {
                throw .further(step)
            }
            session = complete(session, after: page)
            session.page = endpoints.userPath ?? endpoints.path(of: page.url)
            return NewSession(user: User(login: credentials.login), session: session)
        case .refused(let page):
            // The page to which the login leads may ask for a code.
            let next = try named == nil ? nil : next(answer, cookies)
            let pages = [answer, next, page].compactMap(\.self)
            throw refusal(pages.first { $0.forms.contains { $0.isLogin || $0.isStep } } ?? page, credentials.fields)
        case .unclear(let page):
            // `try?`: the session, if it is one, is not saved.
            _ = try? end(session, from: page)
            throw page.tellsNothing
        }
    }

    /// Why the site has not logged the user in.
    private func refusal(_ page: DjangoPage, _ given: JSONObject) -> BackendError {
        guard let form = page.loginForm else {
            return page.forms.first(where: \.isStep).map { .further($0) }
                ?? .holdsNoSession(status: page.response.status)
        }
        let missing = form.missing(given) + form.captchas.filter { given[$0] == nil }
        guard missing.isEmpty else { return .requires(missing) }
        return BackendError(
            .wrongPassword, "wrong username or password",
            next: "to create an account or reset the password, use the pages of the site", server: page.detail)
    }
}

extension DjangoBackend: SiteDescribing {
    /// The form does not show which names it takes.
    func site() throws(BackendError) -> SiteTraits {
        _ = try loginForm()
        return SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: false, providers: [])
    }
}

extension BackendError {
    fileprivate static func requires(_ fields: [String]) -> BackendError {
        var names: [String] = []
        for field in fields where !names.contains(field) { names.append(field) }
        return BackendError(
            .unsupported, "the login form also requires \(names.prefix(10).map { "'\($0)'" }.joined(separator: ", "))",
            nextSteps: [
                NextStep("for a field that a text fills in", run: ["login", "--field", "NAME=TEXT"]), .useBrowser,
            ])
    }

    /// The site asks for more after the password.
    fileprivate static func further(_ form: HTMLForm) -> BackendError {
        let names = form.fields.filter(\.isTyped).map { "'\($0.name)'" }.joined(separator: ", ")
        return names.isEmpty
            ? BackendError(.unsupported, "the site asks for a further step after the password", next: .useBrowser)
            : BackendError(
                .secondFactorRequired, "after the password, the site asks for \(names)", next: .useBrowser)
    }
}

extension NextStep {
    fileprivate static let useBrowser = NextStep(
        "log in with a browser, and save its cookies", run: ["login", "--token-stdin"])
}
