package import AuthModel

extension Client {
    /// Finds the entry of a browser's storage from which web pages read the current session.
    ///
    /// - Returns: the entry is `nil` if the site decides where its pages store the session.
    package func browserEntry() throws(AuthError) -> (session: Session, entry: BrowserEntry?) {
        var active = try sessions.liveSession()
        guard let backend = try backends.connect() as? any BrowserSessionStoring else {
            return (active.session, nil)
        }
        let saved = active.user
        let entry = try sessions.send("requesting the user", with: &active) { session throws(BackendError) in
            Reply(try backend.browserEntry(of: session, saved))
        }
        return (active.session, entry)
    }
}
