import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum SignupCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var username: String?
        var email: String?
        var phone: String?
        var passwordFile: String?
        var textFields: [String] = []
        var jsonFields: [String] = []
        var keepsSession = true
        var checks = true
        var mayExist = false
        var sendsCode = false
        var isFromMail = false
        var wait = Duration.zero
    }

    static let name = "signup"
    static let summary = "Create an account and log in"
    static let spec = declaration(
        discussion: """
            Prompts for missing values, twice for the password. With \(HelpTopics.backends(with: .checksNewAccounts)), authctl checks \
            the values first: at least 3 characters for the username, at least 8 for the password, and a well-formed \
            e-mail address. If the server requires a verified e-mail, authctl asks on a terminal for the link or code \
            from the e-mail, or offers the e-mail that it finds; press Enter to finish later. Sites that identify users by e-mail accept an e-mail without \
            a username.
            """,
        examples: [
            Example("authctl signup ada --email ada@example.org", "Prompt for the password."),
            Example("authctl signup ci-user --password-stdin --json < password.txt", "Sign up from a script."),
            Example("authctl signup ci-user --if-not-exists --password-stdin < password.txt", "Sign up or log in."),
        ],
        exitCodes: [0, 2, 4, 5, 6, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        arguments: [
            .optionalPositional(
                { $0.username = $1 }, "USERNAME",
                help: "Username of the new account (default: the NAME of `--as`)."),
            .option({ $0.email = $1 }, "email", value: "ADDRESS", help: "E-mail address of the new account."),
            .option(
                { $0.phone = $1 }, "phone", value: "NUMBER",
                help: "Phone number, such as +819012345678."
            )
            .explained(by: "Phone number, such as +819012345678 (\(HelpTopics.backends(with: .takesPhone)))."),
        ] + .passwordSources() + [
            .list(
                { $0.textFields.append($1) }, "field", value: "NAME=TEXT",
                help: "Set a custom field of the user to a string."
            ),
            .list(
                { $0.jsonFields.append($1) }, "field-json", value: "NAME=JSON",
                help: "Set a custom field of the user to a JSON value."),
            .flag(
                { $0.keepsSession = $1 }, "no-login", sets: false,
                help: "Only create the account; keep the saved session."),
            .flag({ $0.checks = $1 }, "skip-checks", sets: false, help: "Skip client-side validation."),
            .flag(
                { $0.mayExist = $1 }, "if-not-exists",
                help: "Log in if the account exists; if the password is wrong, exit with code 6."),
            .flag(
                { $0.sendsCode = $1 }, "send-code",
                help: "Create the account without a password; a code or link logs in."),
            .fromMail { $0.isFromMail = $1 }, .wait { $0.wait = $1 },
        ],
        rules: [
            .onePassword, .exclusive("if-not-exists", "no-login"), .exclusive("from-mail", "no-login"),
            .requires(["wait"], oneOf: ["from-mail"]),
            .exclusive(groups: [["send-code"], ["password-stdin", "password-file", "if-not-exists", "no-login"]]),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        try options.email?.requirePlain("e-mail")
        let client = try context.client()
        try SignUp(client).requireSupport()
        let fields = try FieldOptions.newUserFields(
            text: options.textFields, json: options.jsonFields, client.settings.backend.value)
        try context.requireWritable(for: client, savesSession: options.keepsSession)
        let prompt = CredentialsPrompt(context: context)
        let isNamed = client.settings.backend.value.naming == .email && (options.email ?? options.phone) != nil
        let checksPassword = options.checks && client.settings.backend.value.has(.checksNewAccounts)
        let givenName = options.username ?? (isNamed ? nil : client.settings.defaultLogin)
        func output(_ result: LogInResult) -> LogInOutput {
            LogInOutput(isSignUp: true, result: result, settings: client.settings, hints: context.hints)
        }
        if options.sendsCode {
            try LogIn(client).requireCodes()
            let naming = try prompt.naming(
                givenName, email: options.email, phone: options.phone, of: client, asksPassword: false,
                checks: options.checks)
            let account = NewAccount(
                username: naming.username, email: naming.email, phone: options.phone, password: nil, fields: fields)
            let key = MailKeyOptions(isFromMail: options.isFromMail, wait: options.wait)
            var created: Bool?
            return try LoginCode(
                address: account.email ?? account.phone ?? account.subject, client: client, options: key,
                context: context
            ) { result in
                var result = result
                if result.session != nil { SignUp(client).warnOfUnkept(fields, in: result.user, showsAll: true) }
                // The login with the code does not show what the signup did.
                if result.createdAccount != true { result.createdAccount = created }
                return output(result)
            }.run { () throws(AuthError) in
                let first = try SignUp(client).run(account, keepingSession: true, checking: options.checks)
                created = first.createdAccount
                return first
            }
        }
        /// Reads the values that are `nil`.
        func read(
            _ username: String?, _ email: String?, _ known: Secret?
        ) throws(AuthError) -> NewAccount {
            let naming = try prompt.naming(
                username, email: email, phone: options.phone, of: client,
                asksPassword: known == nil && !prompt.hasPassword(options), checks: options.checks)
            let name = naming.username ?? naming.email ?? options.phone ?? ""
            let password = try failing(as: "cannot sign up '\(name)'") { () throws(AuthError) in
                if let known { return known }
                return try prompt.newPassword(
                    options, fault: { checksPassword ? AccountChecks.passwordFault($0) : nil })
            }
            return NewAccount(
                username: naming.username, email: naming.email, phone: options.phone, password: password, fields: fields
            )
        }
        let signUp = SignUp(client)
        var search = MailKeySearch(addresses: [], purpose: .verification)
        func send(_ account: NewAccount) throws(AuthError) -> LogInResult {
            search = MailKeySearch(
                user: User(username: account.username, email: account.email),
                addresses: [account.email].compactMap(\.self), purpose: .verification, wait: options.wait)
            if options.isFromMail { try search.excludeEarlier(in: context) }
            let check = context.hints.commandLine(["login"] + .argument(account.subject))
            let interruption = AuthError(
                .outcomeUnknown, "the signup was interrupted: the account may exist; to check, run: \(check)")
            return try context.printer.printing(interruption) { () throws(AuthError) in
                try options.mayExist
                    ? signUp.unlessExists(account, checking: options.checks, askCode: prompt.promptedCode)
                    : signUp.run(account, keepingSession: options.keepsSession, checking: options.checks)
            }
        }
        var account = try read(givenName, options.email, nil)
        let result: LogInResult
        do throws(AuthError) {
            result = try send(account)
        } catch {
            // Ask once more for the rejected values that were typed.
            let rejected = Set(error.fields.map(\.field))
            let typed = [
                givenName == nil ? "username" : nil, options.email == nil ? "email" : nil,
                prompt.hasPassword(options) ? nil : "password",
            ].compactMap { $0 }
            guard context.prompts.areAllowed, !rejected.isEmpty, rejected.isSubset(of: typed) else { throw error }
            context.events.note(error.message)
            account = try read(
                rejected.contains("username") ? nil : account.username,
                rejected.contains("email") ? nil : account.email,
                rejected.contains("password") ? nil : account.password)
            result = try send(account)
        }
        let first = output(result)
        guard result.pending?.step == .emailVerification, options.keepsSession, !first.lacksEmail else { return first }
        func finish(_ key: MailKey) throws(AuthError) -> LogInOutput {
            output(try signUp.finish(result, of: account, with: key))
        }
        guard options.isFromMail else {
            return try context.offerKey(after: first, of: ["verify-email"], in: search, finish: finish)
        }
        do throws(AuthError) {
            return try search.run(in: context) { key, _ throws(AuthError) in try finish(key) }
        } catch {
            let isUnknown = error.reason == .invalidResponse || error.reason == .outcomeUnknown
            throw error.explaining(
                "the account '\(account.subject)' was created, "
                    + (isUnknown ? "and may be verified" : "but not verified"))
        }
    }
}
