package import AuthModel

/// The session of the profile as an entry in the storage of a browser.
package struct BrowserState {
    private let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// - Returns: the session, and the entry in which pages find it; `nil` if the site decides where they look.
    package func entry() throws(AuthError) -> (session: Session, entry: BrowserEntry?) {
        var active = try client.sessions.liveSession()
        guard let backend = try client.backends.connect() as? any BrowserSessionStoring else {
            return (active.session, nil)
        }
        let found = active
        let entry = try backend.browserEntry(of: found.session) { () throws(AuthError) in
            found.user.id == nil ? try client.sessions.fetchUser("requesting the user", with: &active) : found.user
        }
        return (active.session, entry)
    }
}
