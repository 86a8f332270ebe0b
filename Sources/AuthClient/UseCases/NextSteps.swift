import AuthModel

extension String {
    var looksLikeEmail: Bool { utf8.contains(UInt8(ascii: "@")) }

    /// Whether this is a phone number in the international form, rather than an e-mail address or a username.
    package var looksLikePhone: Bool { hasPrefix("+") && !looksLikeEmail }
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
        return ["login"] + impersonation(of: active.user.displayName ?? "USERNAME")
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
