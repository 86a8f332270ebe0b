import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum PasswordResetCommand: Command {
    struct Options: CommandOptions, TakesMailKey {
        var email: String?
        var key = MailKeyOptions()
        var passwordFile: String?
        var code: String?
    }

    static let name = "password reset"
    static let summary = "Send a password-reset e-mail, or finish a reset"
    static let spec = declaration(
        discussion: """
            Without a key, requests the e-mail. With a key, sets a new password. The key is the link or code from the \
            e-mail. authctl does not open the link, but sends the data in the link to the server. On a terminal, \
            authctl offers the key, or asks for it, after requesting the e-mail; in scripts, `--from-mail` takes it \
            from the newest e-mail. The new password comes from an option, \
            AUTHCTL_NEW_PASSWORD or a prompt.
            """,
        examples: [
            Example("authctl password reset ada@example.org", "Send the e-mail."),
            Example(
                "authctl password reset --key-stdin < link.txt", "Set a new password with the link from the e-mail."),
        ],
        exitCodes: [0, 2, 4, 5, 7, 8, 9, 10, 12],
        variables: [HelpTopics.newPassword],
        arguments: [.optionalPositional({ $0.email = $1 }, "EMAIL", help: "E-mail address of the account.")]
            + .mailKey() + [
                .flag(
                    { $0.passwordFile = $1 }, "password-stdin", sets: "-",
                    help: "Read the new password from standard input."),
                .option(
                    { $0.passwordFile = $1 }, "new-password-file", value: "FILE",
                    help: "Read the new password from FILE (`-` for standard input)."),
                .option(
                    { $0.code = $1 }, "otp", value: "CODE",
                    help: "Code of the account's second factor (\(HelpTopics.backends(of: "password reset --otp")))."),
            ],
        rules: MailKeyOptions.rules + [
            .exclusive("password-stdin", "new-password-file"),
            .exclusive("password-stdin", "key-stdin"),
            .requires(["password-stdin", "new-password-file", "otp"], oneOf: MailKeyOptions.names),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        try options.email?.requirePlain("e-mail")
        guard !options.key.readsInput || options.passwordFile != "-" else {
            throw AuthError(
                .usage, "standard input cannot contain both the key and the password",
                next: "read one of them from a file")
        }
        let client = try context.client()
        let profile = client.settings.profile.value
        let code = try options.code.map { code throws(AuthError) in
            guard client.settings.backend.value.codes.contains(.atReset) else {
                throw AuthError(
                    .unsupported, "this server takes no second factor to reset a password", next: "remove --otp")
            }
            return try CredentialsPrompt(context: context).code(code)
        }
        var password: Secret?
        func finish(_ key: MailKey, _ address: String?) throws(AuthError) -> Output {
            let reset = FinishPasswordReset(client)
            try reset.check(key)
            let prompt = CredentialsPrompt(context: context, isInputTaken: options.key.readsInput)
            let new =
                if let password { password } else {
                    try prompt.resetPassword(
                        file: options.passwordFile, fault: ChangePassword(client).fault)
                }
            password = new
            return Output(
                profile: profile,
                task: .finished(
                    try reset.run(key: key, to: new, of: address, code: code, askCode: prompt.promptedCode)),
                sessionName: client.settings.sessionName?.value, hints: context.hints)
        }
        let done = try context.withKey(
            options.key, for: .reset, to: options.email, orOf: client.accountOfSession,
            missing: "add the argument EMAIL", use: finish)
        if let done { return done }
        guard let email = options.email else {
            throw AuthError(
                .usage, "e-mail or key required",
                nextSteps: ["add the argument EMAIL", "to finish a reset, use --key-stdin or --key-file FILE"])
        }
        let holdsCode = try client.resetPassword(email: email)
        context.noteMailFolder(of: client)
        let output = Output(profile: profile, task: .mail(email, holdsCode: holdsCode), hints: context.hints)
        let search = MailKeySearch(addresses: [email], purpose: .reset)
        return try context.offerKey(after: output, of: ["password", "reset"], in: search) { key throws(AuthError) in
            try finish(key, email)
        }
    }

    struct Output: MailOutput {
        enum Task {
            case mail(String, holdsCode: Bool)
            case finished(FinishPasswordReset.Result)
        }

        let profile: String
        let task: Task
        var sessionName: String?
        let hints: HintRenderer
        var wasPrinted = false

        func text(_ style: TextStyle) -> String {
            switch task {
            case .mail(let email, let holdsCode): text(email, holdsCode)
            case .finished(let result): "the password was reset; \(sentence(result))\n"
            }
        }

        private func text(_ address: String, _ holdsCode: Bool) -> String {
            let isPhone = address.looksLikePhone
            let command = ["password", "reset"] + (isPhone ? [address] : []) + ["--key-stdin"]
            return """
                if an account has the \(isPhone ? "number" : "address") \(address.shown), \(isPhone ? "a message" : "an e-mail") was sent to it
                \(holdsCode || isPhone ? "Pass its code to" : "Follow its link, or pass the link or code to"): \(hints.commandLine(command))

                """
        }

        private func sentence(_ result: FinishPasswordReset.Result) -> String {
            let earlier =
                switch result.sessions {
                case .revoked: "all earlier sessions of the account were revoked"
                case .usuallyRevoked: "the server revokes earlier sessions unless it is configured to keep them"
                case .unknown: "the server does not say whether earlier sessions of the account stay valid"
                }
            let name = result.new.map { ($0.user.displayName ?? "").shownShort }
            let place = "profile '\(profile)'" + (sessionName.map { ", session '\($0)'" } ?? "")
            return earlier + (name.map { "; logged in as \($0) (\(place))" } ?? "")
        }

        /// Empty for `mail`, because no command shows whether an e-mail was sent.
        var stateCommand: [String]? {
            switch task {
            case .mail: []
            case .finished: ["login"]
            }
        }

        var json: JSONValue {
            let (wasSent, new): (Bool, NewSession?) =
                switch task {
                case .mail: (true, nil)
                case .finished(let result): (false, result.new)
                }
            return [
                "v": 1, "kind": "password.reset", "profile": .string(profile), "sent": .bool(wasSent),
                "changed": .bool(!wasSent), "session": JSONValue(new?.session, \.json),
            ]
        }
    }
}
