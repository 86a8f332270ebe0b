import AuthClient
import AuthModel
import CommandLineKit
import Platform

protocol TakesPassword: SendableMetatype {
    /// `-` for standard input.
    var passwordFile: String? { get set }
}

extension Argument where Options: TakesPassword {
    static var passwordFile: Argument {
        .option(
            { $0.passwordFile = $1 }, "password-file", value: "FILE",
            help: "Read the password from FILE (`-` for standard input).")
    }
}

extension Array {
    static func passwordSources<Options: TakesPassword>() -> [Argument<Options>] where Element == Argument<Options> {
        [
            .flag(
                { $0.passwordFile = $1 }, "password-stdin", sets: "-", help: "Read the password from standard input."),
            .passwordFile,
        ]
    }
}

extension OptionRule {
    static let onePassword = exclusive("password-stdin", "password-file")
}

extension Context {
    /// The client of a command that takes the password only if the server asks for it.
    func client(reauthenticatingBy options: some TakesPassword & Sendable) throws(AuthError) -> Client {
        var client = try client()
        let prompt = CredentialsPrompt(context: self)
        client.sessions.password = { () throws(AuthError) in
            prompt.hasPassword(options) || prompts.areAllowed ? try prompt.password(options) : nil
        }
        client.sessions.newPassword = { () throws(AuthError) in
            guard prompt.hasPassword(options) || prompts.areAllowed else { return nil }
            return try prompt.newPassword(options, fault: { _ in nil })
        }
        return client
    }
}

/// Obtains usernames and passwords from options, files and environment variables, or prompts for them.
struct CredentialsPrompt {
    let context: Context
    /// Whether standard input supplies another value, so that hints must not suggest it for a new password.
    var isInputTaken = false

    func username(_ given: String?) throws(AuthError) -> String { try name(given, .username) }

    /// The kind of name that identifies an account.
    enum NameKind: String {
        case username
        case email = "e-mail"
        case either = "username or e-mail"

        var prompt: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() + ": " }
    }

    /// The identifier for a login. A prompt asks for a kind of identifier that the server accepts.
    func login(_ given: String?, of client: Client) throws(AuthError) -> String {
        switch client.settings.backend.value.naming {
        case .username: try username(given)
        case .usernameOrEmail where given == nil && context.prompts.areAllowed: try name(nil, try nameKind(client))
        case .usernameOrEmail: try name(given, .either)
        case .email: try name(given, .email)
        }
    }

    /// The kind of name that the site accepts for a login. Sends a request to the site.
    private func nameKind(_ client: Client) throws(AuthError) -> NameKind {
        let site = try client.backends.site()
        switch (site?.takesUsername ?? true, site?.takesEmail ?? true) {
        case (true, false): return .username
        case (false, true): return .email
        default: return .either
        }
    }

    func name(_ given: String?, _ kind: NameKind) throws(AuthError) -> String {
        let name = if let given { given } else { try require(kind.prompt, for: kind.rawValue) }
        guard !name.isEmpty else { throw AuthError(.usage, "the \(kind.rawValue) is empty") }
        try name.requirePlain(kind.rawValue)
        return name
    }

    func password(_ options: some TakesPassword) throws(AuthError) -> Secret {
        if let password = try suppliedPassword(options) { return password }
        return try hidden("Password: ")
    }

    /// Prompts for the password once more.
    func retriedPassword(after error: AuthError) throws(AuthError) -> Secret {
        context.events.note(error.message)
        return try hidden("Password: ")
    }

    /// The password of a new account. A prompt requests the password twice.
    ///
    /// - Parameter fault: returns the fault of an invalid password. The prompt is then repeated.
    func newPassword(_ options: some TakesPassword, fault: (Secret) -> FieldFault?) throws(AuthError) -> Secret {
        if let password = try suppliedPassword(options) { return password }
        return try confirmed("Password: ", fault: fault)
    }

    /// Whether the password is supplied without a prompt.
    func hasPassword(_ options: some TakesPassword) -> Bool {
        options.passwordFile != nil || context.environment.givenValue("AUTHCTL_PASSWORD") != nil
            || context.environment["AUTHCTL_PASSWORD_FILE"] != nil
    }

    /// Reads the current and the new password from standard input (one line each), files or variables. Prompts for
    /// each password that is missing.
    func passwordChange(
        _ options: some TakesPassword, readsBoth: Bool, newFile: String?, for change: ChangePassword
    ) throws(AuthError) -> (current: Secret?, new: Secret) {
        if readsBoth, newFile == nil {
            let (current, new) = try reader.twoLines()
            return (current, new)
        }
        if let newFile, change.mayLackPassword, !hasPassword(options) { return (nil, try reader.file(newFile)) }
        let supplied = try suppliedPassword(options)
        let current = if let supplied { supplied } else { try hidden("Current password: ") }
        if let newFile { return (current, try reader.file(newFile)) }
        if let new = try reader.variable("AUTHCTL_NEW_PASSWORD") { return (current, new) }
        if !hasPassword(options) { try change.verify(current) }
        let prompt = CredentialsPrompt(context: context, isInputTaken: true)
        return (current, try prompt.confirmed("New password: ", "new password", fault: change.fault))
    }

    /// The new password of a reset. The variables with the current password are not read.
    func resetPassword(file: String?, fault: (Secret) -> FieldFault?) throws(AuthError) -> Secret {
        if let file { return try reader.file(file) }
        if let new = try reader.variable("AUTHCTL_NEW_PASSWORD") { return new }
        return try confirmed("New password: ", "new password", fault: fault)
    }

    /// Checks a second-factor code from an option or a prompt. A recovery code may have any format.
    func code(_ given: String) throws(AuthError) -> Secret {
        guard !given.isEmpty else { throw AuthError(.usage, "the one-time code is empty") }
        guard given.isPlain else { throw AuthError(.usage, "the one-time code contains a control character") }
        // `request` is no code, but asks Parse Server for one.
        if given != "request" { context.world.masker.register(given) }
        return Secret(given)
    }

    /// Prompts for a second-factor code; `nil` if no prompt is possible.
    func promptedCode() throws(AuthError) -> Secret? {
        try ask("One-time code: ", for: "one-time code", isHidden: true).map(code)
    }

    private var reader: SecretReader { SecretReader(what: "password", context: context) }

    private func suppliedPassword(_ options: some TakesPassword) throws(AuthError) -> Secret? {
        if let path = options.passwordFile { return try reader.file(path) }
        let (value, file) = ("AUTHCTL_PASSWORD", "AUTHCTL_PASSWORD_FILE")
        guard let path = context.environment[file] else { return try reader.variable(value) }
        guard context.environment.givenValue(value) == nil else {
            throw AuthError(.usage, "variables \(value) and \(file) are mutually exclusive", next: "unset one of them")
        }
        do throws(AuthError) {
            return try reader.file(path)
        } catch {
            var error = error
            error.message += Origin.environment(file).clause
            throw error
        }
    }

    private func confirmed(
        _ prompt: String, _ what: String = "password", fault: (Secret) -> FieldFault?
    ) throws(AuthError) -> Secret {
        let mismatch = FieldFault("passwordConfirmation", "does not match the password")
        return try answer(
            fault: { (password: Secret) throws(AuthError) in
                if let fault = fault(password) { return fault }
                return try hidden("Confirm password: ") == password ? nil : mismatch
            },
            asking: { () throws(AuthError) in try hidden(prompt, what) })
    }

    /// Repeats a prompt until the answer has no fault, at most three times. Each fault is reported immediately.
    func answer<Answer>(
        fault: (Answer) throws(AuthError) -> FieldFault?, asking: () throws(AuthError) -> Answer
    ) throws(AuthError) -> Answer {
        var triesLeft = 3
        while true {
            let answer = try asking()
            guard let fault = try fault(answer) else { return answer }
            triesLeft -= 1
            guard triesLeft > 0 else {
                throw AuthError(
                    fault.field == "password" ? .weakPassword : .invalidFields, fault.sentence, fields: [fault])
            }
            context.events.reject("\(fault.sentence); try again")
        }
    }

    private func hidden(_ prompt: String, _ what: String = "password") throws(AuthError) -> Secret {
        let text = try require(prompt, for: what, isHidden: true)
        return try SecretInput(what: what, source: "the terminal", masker: context.world.masker)
            .password(from: Array(text.utf8))
    }

    private func require(_ prompt: String, for what: String, isHidden: Bool = false) throws(AuthError) -> String {
        if let text = try ask(prompt, for: what, isHidden: isHidden) { return text }
        throw missing(what, context.prompts.refusal ?? "no terminal is available")
    }

    /// The user's answer; `nil` if no prompt is possible.
    func ask(_ prompt: String, for what: String, isHidden: Bool = false) throws(AuthError) -> String? {
        guard context.prompts.areAllowed else { return nil }
        let terminal = context.world.terminal
        do throws(TerminalError) {
            return isHidden ? try terminal.askHidden(prompt) : try terminal.ask(prompt)
        } catch {
            if error == .unavailable { return nil }
            throw promptFailure(what, error)
        }
    }

    private func missing(_ what: String, _ reason: String) -> AuthError {
        let step: NextStep =
            switch what {
            case "password" where context.environment["AUTHCTL_AUTH_HEADER"] != nil:
                "use --password-stdin or --password-file FILE: 'authctl exec' has removed AUTHCTL_PASSWORD"
            case "password": "use --password-stdin, --password-file FILE or AUTHCTL_PASSWORD"
            case "new password" where isInputTaken: "use --new-password-file FILE or AUTHCTL_NEW_PASSWORD"
            case "new password": "use --password-stdin, --new-password-file FILE or AUTHCTL_NEW_PASSWORD"
            case "username": "add the argument USERNAME"
            case "e-mail": "add it as an argument"
            default: NextStep("add the \(what) as an argument")
            }
        return AuthError(.usage, "\(what) required, but \(reason)", next: step)
    }

    func promptFailure(_ what: String, _ error: TerminalError) -> AuthError {
        switch error {
        case .unavailable: missing(what, "no terminal is available")
        case .endOfInput:
            AuthError(.usage, "the input ended before the \(what) was entered")
        case .lineTooLong:
            AuthError(
                .usage, "the \(what) is too long for a terminal",
                next: what.hasSuffix("password") ? "use --password-stdin" : nil)
        case .notUTF8: AuthError(.usage, "the \(what) from the terminal is not UTF-8")
        }
    }
}

extension String {
    /// Whether the text contains no control character and no line separator.
    var isPlain: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// - Throws: `AuthError` `usage` if the text is not plain.
    func requirePlain(_ what: String) throws(AuthError) {
        guard isPlain else { throw AuthError(.usage, "\(what) '\(self)' contains a control character") }
    }
}
