import AuthModel

extension [String] {
    /// Returns a value as a positional argument, after `--` if the value begins with `-`.
    package static func argument(_ value: String) -> [String] { value.hasPrefix("-") ? ["--", value] : [value] }

    static func option(_ name: String, _ value: String) -> [String] {
        value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
    }
}

extension String {
    var looksLikeEmail: Bool { utf8.contains(UInt8(ascii: "@")) }
}

extension Client {
    /// Rejects a username in place of an e-mail address, unless the server also accepts phone numbers. Requires only an
    /// `@`, because servers have different rules for addresses.
    ///
    /// - Throws: `AuthError` `invalidFields`.
    func requireAddress(_ email: String, _ failure: String) throws(AuthError) {
        guard !email.looksLikeEmail, !settings.backend.value.takesPhone else { return }
        let fault = FieldFault("email", "is not an address")
        throw AuthError(
            .invalidFields, "\(failure): \(fault.sentence)", next: "use the e-mail of the account, not its username",
            fields: [fault])
    }
}

extension Client {
    /// If the key is in a link, checks the link. Prints a note if the link's origin differs from the server's.
    ///
    /// - Throws: `AuthError` `usage` if the link contains a username or password, or does not match `linkOrigin`.
    func check(_ key: MailKey, _ failure: String) throws(AuthError) {
        guard let link = key.link else { return }
        guard !link.hasUserInfo else {
            throw AuthError(.usage, "\(failure): the link contains a username or password")
        }
        // `try?`: a link to a mobile app has a scheme that `ServerURL` rejects.
        let url = try? ServerURL(link.origin)
        func origin(_ text: String) -> String { (try? ServerURL(text))?.origin ?? text }
        let own = url?.origin ?? link.origin
        if let wanted = settings.serverSettings[BackendSetting.linkOrigin.key].map(origin) {
            guard own == wanted else {
                throw AuthError(
                    .usage, "\(failure): the link leads to '\(own)', but the setting linkOrigin is '\(wanted)'")
            }
        } else if let server = settings.connection.server.map(origin) {
            if own != server { events.note("the link leads to \(own); its key is sent to \(server)") }
        } else if url?.isLoopback != true {
            // Links of local accounts lead to `authctl serve` on loopback, on any port, and need no note.
            events.note("the link leads to \(own); its key is sent to the local accounts on this machine")
        }
    }
}

extension Settings {
    /// The command to log in. If a session name is set, the command omits the username, which defaults to that name.
    package var logInCommand: [String] { ["login"] + (sessionName == nil ? [backend.value.naming.placeholder] : []) }

    /// The command to sign up. If a session name is set, the command omits the username, which defaults to that name.
    package var signUpCommand: [String] { ["signup"] + (sessionName == nil ? backend.value.naming.newAccount : []) }
}

extension NextStep {
    /// The next step for a login that requires the link or the code from an e-mail.
    static let completePendingLogin = NextStep(
        "follow the link in the e-mail, or enter its code", run: ["verify-email", "--key-stdin"])
}

extension AuthError {
    /// Whether the server accepted the request, but its response is invalid.
    var isUnreadableSuccess: Bool {
        reason == .invalidResponse && (server.map { (200..<300).contains($0.status) } ?? false)
    }
}
