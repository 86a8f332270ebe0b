package import AuthModel

/// Finds the entry of a browser's storage from which web pages read the current session.
package struct FindBrowserEntry {
    private let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// - Returns: the entry is `nil` if the site decides where its pages store the session.
    package func run() throws(AuthError) -> (session: Session, entry: BrowserEntry?) {
        var active = try client.sessions.liveSession()
        guard let backend = try client.backends.connect() as? any BrowserSessionStoring else {
            return (active.session, nil)
        }
        let saved = active.user
        let entry = try client.sessions.send("requesting the user", with: &active) { session throws(BackendError) in
            Reply(try backend.browserEntry(of: session, saved))
        }
        return (active.session, entry)
    }
}
