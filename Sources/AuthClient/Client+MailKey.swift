import AuthModel

extension Client {
    /// If the key is in a link, checks the link. Prints a note if the link's origin differs from the server's.
    ///
    /// - Throws: `AuthError` `usage` if the link contains a username or password, or does not match `linkOrigin`.
    func check(_ key: MailKey, _ failure: String) throws(AuthError) {
        if let origin = try failing(as: failure, { () throws(AuthError) in try origin(of: key) }) { note(origin) }
    }

    /// The origin that links must have: that of the setting `linkOrigin`.
    var linkOrigin: String? { settings.serverSettings[BackendSetting.linkOrigin.key].map(\.normalizedOrigin) }

    /// The origin of the key's link; `nil` for a code.
    ///
    /// - Parameter wanted: the origin that the link must have; by default, that of the setting `linkOrigin`.
    /// - Throws: `AuthError` `usage` if the link has another origin, or contains a username or password.
    func origin(of key: MailKey, wanted: String? = nil) throws(AuthError) -> String? {
        guard let link = key.link else { return nil }
        guard !link.hasUserInfo else { throw AuthError(.usage, "the link contains a username or password") }
        let own = link.origin.normalizedOrigin
        // Links of Firebase first lead to a page of the project.
        if let setting = linkOrigin, own != setting, link.query["continueUrl"]?.originOfURL != setting {
            throw AuthError(.usage, "the link leads to '\(own)', but the setting linkOrigin is '\(setting)'")
        }
        if let wanted, own != wanted {
            throw AuthError(
                .usage, "the link leads to '\(own)', but the server accepted a link to '\(wanted)' before",
                next: NextStep("to name the right one", run: ["profile", "set", profile, "linkOrigin", "ORIGIN"]))
        }
        return own
    }

    /// Prints a note if the origin differs from the server's, and is not that of the setting `linkOrigin`.
    func note(_ origin: String) {
        guard linkOrigin == nil else { return }
        if let server = settings.connection.server?.normalizedOrigin {
            if origin != server { events.inform("the link leads to \(origin), and the server is \(server)") }
        } else if (try? ServerURL(origin))?.isLoopback != true {
            // Links of local accounts lead to `authctl serve` on loopback, on any port, and need no note.
            events.inform("the link leads to \(origin), and the accounts are on this machine")
        }
    }
}

extension String {
    // `try?`: a link to a mobile app has a scheme that `ServerURL` rejects.
    fileprivate var normalizedOrigin: String { (try? ServerURL(self))?.origin ?? self }
    fileprivate var originOfURL: String? { MailLink(self)?.origin.normalizedOrigin }
}
