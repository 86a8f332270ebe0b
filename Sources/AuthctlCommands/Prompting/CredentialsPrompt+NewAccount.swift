import AuthClient
import AuthModel
import Platform

extension CredentialsPrompt {
    typealias AccountNames = (username: String?, email: String?)

    /// The username, the e-mail or both, as the backend requires. Prompts for missing values. With a phone number,
    /// there is no prompt, and both values may be `nil`.
    func naming(
        _ username: String?, email: String?, phone: String?, of client: Client, asksPassword: Bool, checks: Bool
    ) throws(AuthError) -> AccountNames {
        if let phone {
            try require(phone, of: client.settings.backend.value)
            return (try username.map { name throws(AuthError) in try self.username(name) }, email)
        }
        switch client.settings.backend.value.naming {
        case .username:
            return try checkedNames(
                username, email, client, asksPassword: asksPassword,
                checks: checks && client.settings.backend.value.has(.checksNewAccounts))
        case .usernameOrEmail: return try either(username, email, client, asksPassword)
        case .email: return (email == nil ? try name(username, .email) : username, email)
        }
    }

    /// If neither the username nor the e-mail is given, prompts for both, as the signup screens of apps do.
    private func checkedNames(
        _ username: String?, _ email: String?, _ client: Client, asksPassword: Bool, checks: Bool
    ) throws(AuthError) -> AccountNames {
        guard username == nil, email == nil, context.prompts.areAllowed else {
            let name = try self.username(username)
            // Report invalid names before the prompt for the password.
            if checks, asksPassword, context.prompts.areAllowed {
                try SignUp(client).requireNames(username: name, email: email)
            }
            return (name, email)
        }
        let name = try answer(
            fault: { checks ? AccountChecks.usernameFault($0) : nil },
            asking: { () throws(AuthError) in try self.username(nil) })
        let email = try answer(
            fault: { checks && !$0.isEmpty ? AccountChecks.emailFault($0) : nil },
            asking: { () throws(AuthError) in try part(nil, "e-mail", asking: "E-mail (optional): ") ?? "" })
        return (name, email.isEmpty ? nil : email)
    }

    private func require(_ phone: String, of backend: BackendDescriptor) throws(AuthError) {
        guard backend.has(.takesPhone) else {
            throw AuthError(
                .unsupported, "a signup with backend '\(backend.kind)' takes no phone number",
                next: backend.codes.contains(.withAddress)
                    ? NextStep("a login creates the account", run: ["login", "--send-code", phone]) : nil)
        }
        guard phone.hasPrefix("+"), phone.dropFirst().isASCIIDigits else {
            throw AuthError(
                .usage, "'\(phone)' is not an international phone number",
                next: "use the form +819012345678")
        }
    }

    private func either(
        _ username: String?, _ email: String?, _ client: Client, _ asksPassword: Bool
    ) throws(AuthError) -> AccountNames {
        if username == nil, email == nil, let reason = context.prompts.refusal {
            throw AuthError(.usage, "username or e-mail required, but \(reason)", next: Self.ways)
        }
        // A username with `@` may be an e-mail address.
        let mayBeEmail = email == nil && username?.utf8.contains(UInt8(ascii: "@")) == true
        // Before any prompt, find out which identifiers the site accepts, and whether signup is open.
        let isAsked = mayBeEmail || context.prompts.areAllowed && (username == nil || email == nil || asksPassword)
        let site = isAsked ? try client.backends.site() : nil
        if site?.isOpenForSignUp == false {
            throw AuthError(.forbidden, "cannot create an account: the site does not allow signups")
        }
        let takesUsername = site?.takesUsername ?? true
        if mayBeEmail, site?.takesEmail ?? true, let address = username {
            try address.requirePlain("e-mail")
            // Omit the username if the site does not support usernames, because the site would ignore it.
            return (takesUsername ? address : nil, address)
        }
        let naming = (
            username: takesUsername || username != nil
                ? try part(username, "username", asking: "Username (optional): ") : nil,
            email: try part(email, "e-mail", asking: takesUsername ? "E-mail (optional): " : "E-mail: ")
        )
        guard naming.username != nil || naming.email != nil else {
            throw AuthError(.usage, "username or e-mail required", next: Self.ways)
        }
        return naming
    }

    private static let ways: NextStep = "add --email ADDRESS, a username as an argument, or both"

    /// The username or the e-mail; `nil` if the user omits it, or if no prompt is possible.
    private func part(_ given: String?, _ what: String, asking prompt: String) throws(AuthError) -> String? {
        if given?.isEmpty ?? false { throw AuthError(.usage, "the \(what) is empty") }
        let text = if let given { given } else { try ask(prompt, for: what) ?? "" }
        try text.requirePlain(what)
        return text.isEmpty ? nil : text
    }
}
