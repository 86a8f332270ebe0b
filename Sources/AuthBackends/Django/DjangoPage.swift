import AuthModel
import Platform
import Transport

/// A page of the site, after redirects.
struct DjangoPage {
    let url: String
    let answer: ServerResponse
    let forms: [HTMLForm]
    /// The cookies that the site has set on the way.
    private(set) var cookies: Cookies
    /// Whether a redirect led to the login form.
    private let isAfterLoginRedirect: Bool

    init(url: String, _ answer: ServerResponse, after earlier: DjangoPage? = nil) {
        (self.url, self.answer) = (url, answer)
        forms = HTMLForm.all(in: answer.http.body)
        cookies = earlier?.cookies ?? Cookies()
        cookies.add(setBy: answer.http)
        isAfterLoginRedirect =
            earlier?.isAfterLoginRedirect == true || answer.http.asksForLogin(answer.request)
    }

    var response: HTTPResponse { answer.http }
    var isSuccess: Bool { answer.isSuccess }
    var detail: ServerDetail { ServerDetail(status: response.status) }

    /// The URL to which the site redirects, if it is of the same origin.
    var redirect: String? {
        guard response.isRedirect, let source = URLParts(url),
            let target = response.headers["Location"].flatMap(source.resolving), target.isSameOrigin(as: source),
            target.userInfo == nil
        else { return nil }
        return target.address
    }

    var loginForm: HTMLForm? { forms.first(where: \.isLogin) }

    /// Whether the site asks for a login instead of showing the page.
    func asksForLogin(_ endpoints: DjangoEndpoints) -> Bool {
        let isFormItself = loginForm != nil && URLParts(url)?.path == URLParts(endpoints.login)?.path
        return isAfterLoginRedirect || isFormItself
            || [401, 403].contains(response.status) && DjangoPageErrors.error(for: answer).reason == .sessionRevoked
    }

    /// Whether this is the page of the URL, perhaps with a language before its path, or a slash behind it.
    func isAt(_ asked: String) -> Bool {
        guard let own = URLParts(url)?.path, let path = URLParts(asked)?.path else { return false }
        return own.hasSuffix(path) || own.hasSuffix("\(path)/")
    }

    /// The URL to which a form is sent.
    ///
    /// - Throws: `BackendError` `redirect` if it is of another origin.
    func target(of form: HTMLForm) throws(BackendError) -> String {
        guard let source = URLParts(url), let target = form.action.isEmpty ? source : source.resolving(form.action),
            target.isSameOrigin(as: source), target.userInfo == nil
        else { throw BackendError(.redirect, "a form of the page would be sent to another origin") }
        return target.address
    }

    var tellsNothing: BackendError {
        BackendError(
            .invalidResponse, "the page '\(URLParts(url)?.path ?? url)' does not show whether a user is logged in",
            next: NextStep("name a page that requires a login", run: .set("userPath", "/a/page/that/needs/a/login")),
            server: detail)
    }
}

extension [String] {
    fileprivate static func set(_ key: String, _ value: String = "PATH") -> [String] {
        ["profile", "set", NextStep.profile, key, value]
    }
}
