import AuthModel

extension String {
    var looksLikeEmail: Bool { utf8.contains(UInt8(ascii: "@")) }

    /// Whether this is a phone number in the international form, rather than an e-mail address or a username.
    package var looksLikePhone: Bool { hasPrefix("+") && !looksLikeEmail }
}

extension Client {
    /// Rejects a username in place of an e-mail address, unless the server also accepts phone numbers. Requires only an
    /// `@`, because servers have different rules for addresses.
    ///
    /// - Throws: `AuthError` `invalidFields`.
    func requireAddress(_ email: String, _ failure: String) throws(AuthError) {
        let isPhone = settings.backend.value.has(.takesPhone) && email.looksLikePhone
        guard !email.looksLikeEmail, !isPhone else { return }
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
        if let setting = linkOrigin, own != setting {
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
            if origin != server { events.inform("the link leads to \(origin); its key is sent to \(server)") }
        } else if (try? ServerURL(origin))?.isLoopback != true {
            // Links of local accounts lead to `authctl serve` on loopback, on any port, and need no note.
            events.inform("the link leads to \(origin); its key is sent to the local accounts on this machine")
        }
    }
}

extension String {
    // `try?`: a link to a mobile app has a scheme that `ServerURL` rejects.
    fileprivate var normalizedOrigin: String { (try? ServerURL(self))?.origin ?? self }
}

extension Settings {
    /// The default name of a login or signup: the session name, unless accounts have an e-mail and it is none.
    package var defaultLogin: String? {
        guard let name = sessionName?.value,
            backend.value.naming != .email || name.looksLikeEmail || name.looksLikePhone
        else { return nil }
        return name
    }

    /// The command to log in. The command omits a username that is the default.
    package var logInCommand: [String] { ["login"] + (defaultLogin == nil ? [backend.value.naming.placeholder] : []) }

    /// The command to sign up. The command omits a username that is the default.
    package var signUpCommand: [String] { ["signup"] + (defaultLogin == nil ? backend.value.naming.newAccount : []) }

    /// The command that logs in again, to replace this session.
    func logInCommand(again active: ActiveSession) -> [String] {
        guard active.method == .impersonation else { return logInCommand(again: active.user) }
        return ["login"] + impersonation(of: active.user.username ?? "USERNAME")
    }

    /// The options of `login` that impersonate a user, without the user's password.
    func impersonation(of username: String) -> [String] {
        .option("--impersonate", username) + (connection.server == nil ? [] : ["--admin-key-file", "FILE"])
    }

    /// The command that logs in again as this user. `login` uses the session name if it has no username argument.
    func logInCommand(again user: User) -> [String] {
        guard let name = sessionName?.value, let username = user.displayName, username != name else { return ["login"] }
        return ["login"] + .argument(username)
    }
}

extension NextStep {
    /// - Parameter arguments: the arguments of `login` in the failed command.
    static func addCode(_ arguments: [String]) -> NextStep {
        NextStep("add the one-time code or a recovery code", run: ["login", "--otp", "CODE"] + arguments)
    }
}

extension NewAccount {
    /// The name of the account in messages and at login: the username, else the e-mail, else the phone number.
    package var subject: String { username ?? email ?? phone ?? "" }
}

extension AuthError {
    /// Whether the server accepted the request, but its response is invalid.
    var isUnreadableSuccess: Bool {
        reason == .invalidResponse && (server.map { (200..<300).contains($0.status) } ?? false)
    }
}
