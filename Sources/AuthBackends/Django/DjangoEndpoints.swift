import AuthModel
import Platform
import Transport

/// The pages of a Django site: those that its settings name, and those that its forms name.
struct DjangoEndpoints: Endpoints {
    /// The base URL, without a trailing slash.
    let base: String
    /// The profile's settings: `loginPath`, `logoutPath` and `userPath`, below the base URL.
    var paths: [String: String] = [:]

    static let standardLogin = "/accounts/login/"

    static let settings = [
        BackendSetting("loginPath", .mount, standard: standardLogin, summary: "path of the login form"),
        BackendSetting("logoutPath", .mount, summary: "path of the logout (default: beside the login form)"),
        BackendSetting("userPath", .mount, summary: "path of a page that requires a login"),
    ]

    private var loginPath: String { paths["loginPath"] ?? Self.standardLogin }
    var login: String { base + loginPath }

    /// A page or endpoint that requires a login; `nil` if the profile names none.
    var userPath: String? { paths["userPath"] }

    /// The logout that the profile names; `nil` if it names none.
    var namedLogout: String? { paths["logoutPath"].map { base + $0 } }

    /// The logout beside the login form, as in Django's own URLs.
    var usualLogout: String {
        var names = loginPath.split(omittingEmptySubsequences: false) { $0 == "/" }.map(String.init)
        if let place = names.lastIndex(where: { $0.holds("login") }) {
            names[place] = names[place].replacing("login", with: "logout")
        }
        return base + names.joined(separator: "/")
    }

    /// The path of a URL below the base URL, without the query.
    func path(of url: String) -> String? {
        guard let parts = URLParts(url), let mount = URLParts(base), parts.isAtOrBelow(mount) else { return nil }
        let path = parts.path.dropFirst(mount.path.utf8.count)
        return path.isEmpty ? "/" : String(path)
    }

    func headers(of session: Session) -> SessionHeaders {
        // A token that is no list of cookies is rejected before it is sent.
        SessionHeaders(Cookies(session.token) ?? Cookies(), of: base)
    }

    func get(_ url: String, _ operation: Operation, _ cookies: Cookies?) -> Call {
        call(operation, HTTPRequest(.get, url), cookies)
    }

    /// A form as a browser sends it. Each login is sent once.
    func post(
        _ body: [UInt8], to url: String, from page: String, _ operation: Operation, _ cookies: Cookies
    ) -> Call {
        var call = call(operation, HTTPRequest(.post, url, body: body, isIdempotent: operation == .logOut), cookies)
        call.request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        call.request.headers["Origin"] = URLParts(url)?.origin
        call.request.headers["Referer"] = page
        return call
    }

    /// Redirects are followed by the backend, which needs the cookies of each response.
    private func call(_ operation: Operation, _ request: HTTPRequest, _ cookies: Cookies?) -> Call {
        var request = request
        request.headers["Accept"] = "text/html,application/json;q=0.9,*/*;q=0.8"
        request.headers["Accept-Language"] = "en"
        if let cookies, !cookies.all.isEmpty { request.headers["Cookie"] = cookies.token.reveal() }
        request.followsRedirects = false
        request.loginPath = URLParts(login)?.path
        return Call(operation, request)
    }
}
