package import Transport

/// The cookies of a session, the one with the CSRF token last. Their text is the token of the session:
/// `sessionid=…; csrftoken=…`. Source: RFC 6265, sections 4.1.1 and 4.2.1.
package struct Cookies: Sendable, Equatable {
    package struct Cookie: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

        /// Reads `NAME=VALUE`; `nil` if the name or the value has a character that no cookie has, or is empty.
        fileprivate init?(_ text: some StringProtocol) {
            let pair = text.split(separator: "=" as Character, maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0.drop { $0 == " " }) }
            guard pair.count == 2, pair[0].isHTTPToken, pair[1].isToken, pair[1] != "\"\"", !pair[1].contains(";")
            else { return nil }
            self.init(pair[0], pair[1])
        }

        /// Whether the cookie holds the CSRF token. A site can change the name `csrftoken`.
        package var isCSRF: Bool { ["csrf", "xsrf"].contains(where: name.lowercased().holds) }
    }

    package private(set) var all: [Cookie] = []

    package init() {}

    /// Reads the text of a token. A value of at least 8 characters is needed, because an opaque token may end in `=`.
    ///
    /// - Returns: `nil` if the token is not a list of cookies.
    package init?(_ token: Secret) {
        let parts = token.reveal().split { $0 == ";" }
        let cookies = parts.compactMap { Cookie($0) }
        guard !cookies.isEmpty, cookies.count == parts.count, token.reveal().utf8.count <= String.longestToken,
            cookies.contains(where: { $0.value.utf8.count >= 8 })
        else { return nil }
        for cookie in cookies { set(cookie) }
    }

    package var token: Secret { Secret(all.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")) }

    package var csrf: String? { all.first(where: \.isCSRF)?.value }

    package mutating func set(_ cookie: Cookie) {
        if let place = all.firstIndex(where: { $0.name == cookie.name }) {
            all[place] = cookie
        } else {
            all.insert(cookie, at: cookie.isCSRF ? all.endIndex : all.firstIndex(where: \.isCSRF) ?? all.endIndex)
        }
    }

    /// Whether there is a cookie besides that of the CSRF token.
    package var hasSession: Bool { all.contains { !$0.isCSRF } }

    /// Adds the cookies that a response sets. Those that it deletes stay. Django keeps messages in a cookie of their own.
    ///
    /// Source: Django 5.2, `messages/storage/cookie.py`.
    package mutating func add(setBy response: HTTPResponse) {
        for cookie in Self.set(by: response) where cookie.name != "messages" { set(cookie) }
    }

    package init(setBy response: HTTPResponse) { add(setBy: response) }

    /// The cookies that a response sets, without those that it deletes.
    private static func set(by response: HTTPResponse) -> [Cookie] {
        response.headers.values("Set-Cookie").compactMap { field in Cookie(field.prefix { $0 != ";" }) }
    }

    /// The cookies after a response: it can renew each of them, and set the CSRF token if there is none.
    package func renewed(by response: HTTPResponse) -> Cookies {
        var cookies = self
        for cookie in Self.set(by: response)
        where all.contains(where: { $0.name == cookie.name })
            || cookie.isCSRF && csrf == nil
        {
            cookies.set(cookie)
        }
        return cookies
    }

    /// The state of a browser that sends the cookies to the site. Scripts can read only the CSRF token.
    ///
    /// - Parameter url: the URL of the site.
    package func browserState(at url: String) -> BrowserState {
        let site = URLParts(url)
        return BrowserState(
            cookies: all.map { pair in
                var cookie = AuthModel.Cookie(pair.name, Secret(pair.value), domain: site?.host ?? "")
                (cookie.isSecure, cookie.isHTTPOnly) = (site?.scheme == "https", !pair.isCSRF)
                return cookie
            })
    }
}
