package import AuthModel
package import JSON
import Transport

extension Client {
    /// The current session as the document that Playwright reads as `storageState`.
    package func browserDocument(for page: BrowserPage) throws(AuthError) -> JSONValue {
        var active = try sessions.liveSession()
        var state: BrowserState?
        if let backend = try backends.connect() as? any BrowserSessionStoring {
            let saved = active.user
            state = try sessions.send("requesting the user", with: &active) { session throws(BackendError) in
                Reply(try backend.browserState(of: session, saved, for: page))
            }
        }
        let (session, document) = (active.session, try document(of: state, active.session, for: page))
        if let token = session.refreshToken, state?.cookies.contains(where: { $0.value == token }) == true {
            events.note(
                "authctl and the browser share the refresh token; if the site accepts it only once, the first "
                    + "refresh ends the session of the other")
        }
        return document
    }

    /// - Parameter state: `nil` if the site decides where its pages keep the session.
    /// - Throws: `AuthError` `usage` if no page of the origin would use the session.
    func document(
        of state: BrowserState?, _ session: Session, for page: BrowserPage
    ) throws(AuthError) -> JSONValue {
        let (origin, server) = (page.origin, settings.connection.server.flatMap { URLParts($0) })
        let state = state ?? BrowserState()
        let cookies = state.cookies.filter { $0.isSent(to: origin.host) }
        // Tokens that the user wants in the local storage are enough.
        if let cookie = state.cookies.first(where: { !cookies.contains($0) }), page.storageNames.isEmpty {
            throw AuthError(
                .usage, "the session cookie of '\(cookie.domain)' is not sent to '\(origin.host)'",
                next: NextStep("use the server's own origin", run: page.command + [server?.origin ?? "ORIGIN"]))
        }
        try page.requireUse(of: state, settings.backendName)
        let named = page.storageNames.map { BrowserState.Entry($0, session.presentedToken) }
        let storage = (page.usesIndexedDB ? [] : state.localStorage) + named
        guard !storage.isEmpty || !cookies.isEmpty || page.usesIndexedDB else {
            // A signup of dj-rest-auth sets no cookies, even if the logins of the site do.
            let step = NextStep("if the site keeps it in cookies, log in: the login shows their names", run: ["login"])
            throw AuthError(
                .usage, "backend '\(settings.backendName)' does not decide where a page keeps the token",
                nextSteps: ["name the entry of the local storage with --local-storage NAME"]
                    + (session.refreshToken == nil ? [] : [step]))
        }
        let isReadByScripts = !storage.isEmpty || page.usesIndexedDB
        if isReadByScripts, let server, server.origin != origin.origin {
            events.warn("the scripts of '\(origin.origin)' will hold a session for '\(server.origin)'")
        }
        var content: JSONObject = ["origin": .string(origin.origin)]
        content["localStorage"] = .array(
            storage.map { ["name": .string($0.name), "value": .string($0.value.reveal())] })
        if page.usesIndexedDB { content["indexedDB"] = .array(state.indexedDB) }
        return [
            "cookies": .array(cookies.map(\.json)), "origins": isReadByScripts ? [.object(content)] : [],
        ]
    }
}

extension BrowserPage {
    /// - Throws: `AuthError` `usage` if an option has no effect on the state.
    fileprivate func requireUse(of state: BrowserState, _ backend: String) throws(AuthError) {
        if let sessionCookie, !state.cookies.contains(where: { $0.name == sessionCookie }) {
            throw AuthError(.usage, "backend '\(backend)' has no session cookie (option '--session-cookie')")
        }
        guard appName != nil || usesIndexedDB, state.indexedDB.isEmpty else { return }
        let option = usesIndexedDB ? "--indexed-db" : "--app-name"
        throw AuthError(.usage, "the pages of backend '\(backend)' have no app in IndexedDB (option '\(option)')")
    }
}
