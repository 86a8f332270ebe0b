import AuthModel
import JSON
import Platform
import Transport

extension DjangoBackend {
    /// Fills in the login form. What the site answers to that is no evidence: see `verdict`.
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        var jar = Cookies()
        let page = try loginPage(&jar)
        guard let form = page.loginForm else { throw try withoutForm(page) }
        let missing = form.missing(credentials.fields)
        guard missing.isEmpty else { throw .requires(missing) }
        let body = form.body(credentials.login, credentials.password, credentials.fields)
        let target = try page.target(of: form)
        let answer = DjangoPage(
            url: target, try server.response(to: endpoints.post(body, to: target, from: page.url, .logIn, jar)))
        let given = Cookies(setBy: answer.response)
        guard answer.response.status < 400 || answer.loginForm != nil else { throw Errors.error(for: answer.answer) }
        guard given.hasSession else {
            let page = try answer.redirect.map { url throws(BackendError) in try self.page(url, .currentUser, jar) }
            throw refusal(page ?? answer, credentials.fields)
        }
        var cookies = given
        if given.csrf == nil, let token = jar.all.first(where: \.isCSRF) { cookies.set(token) }
        return Reply(.session(try proven(cookies, answer, credentials)))
    }

    /// Requests the login form, and collects the cookies that the site sets.
    private func loginPage(_ jar: inout Cookies) throws(BackendError) -> DjangoPage {
        var page: DjangoPage?
        var url: String? = endpoints.login
        for _ in 0..<5 {
            guard let next = url else { break }
            let response = try server.response(to: endpoints.get(next, .describeSite, jar))
            jar.add(setBy: response.http)
            page = DjangoPage(url: next, response)
            url = page?.redirect
        }
        guard let page else { throw BackendError(.internal, "no request was sent") }
        return page
    }

    /// - Throws: the error of a response that is no page.
    private func withoutForm(_ page: DjangoPage) throws(BackendError) -> BackendError {
        let status = page.response.status
        guard status < 500, ![403, 429].contains(status) else {
            var answer = page.answer
            answer = ServerResponse(answer.http, to: answer.request, .logIn, at: answer.now, answer.masker)
            throw Errors.error(for: answer)
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
            revoke(session)
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
            throw refusal(answer.forms.contains { $0.isLogin || $0.isStep } ? answer : page, credentials.fields)
        case .unclear(let page):
            revoke(session)
            throw page.tellsNothing
        }
    }

    /// Best effort: the session, if it is one, is not saved.
    private func revoke(_ session: Session) {
        guard let cookies = Cookies(session.token), let token = cookies.csrf else { return }
        let body = HTMLForm.encoded([("csrfmiddlewaretoken", token)])
        let url = endpoints.namedLogout ?? endpoints.usualLogout
        _ = try? server.response(to: endpoints.post(body, to: url, from: endpoints.login, .logOut, cookies))
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

extension BackendError {
    fileprivate static func requires(_ fields: [String]) -> BackendError {
        var names: [String] = []
        for field in fields where !names.contains(field) { names.append(field) }
        return BackendError(
            .unsupported, "the login form also requires \(names.prefix(10).map { "'\($0)'" }.joined(separator: ", "))",
            nextSteps: ["for a field that a text fills in, add --field NAME=TEXT", .useBrowser])
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
