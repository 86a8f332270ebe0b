import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum SignupCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var username: String?
        var email: String?
        var phone: String?
        var readsPassword = false
        var passwordFile: String?
        var textFields: [String] = []
        var jsonFields: [String] = []
        var keepsSession = true
        var checks = true
        var mayExist = false
    }

    static let name = "signup"
    static let summary = "Create an account and log in"
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        discussion: """
            Prompts for missing values, twice for the password. With the backends `local` and `parse`, authctl checks \
            the values first: at least 3 characters for the username, at least 8 for the password, and a well-formed \
            e-mail address. If the server requires a verified e-mail, authctl asks on a terminal for the link or code \
            from the e-mail; press Enter to finish later. Sites that identify users by e-mail accept an e-mail without \
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
                help: "Phone number, such as +819012345678 (allauth, Kii Cloud, Supabase)."),
        ] + .passwordSources() + [
            .list(
                { $0.textFields.append($1) }, "field", value: "NAME=TEXT",
                help: "Set a custom field of the user to a string."
            ),
            .list(
                { $0.jsonFields.append($1) }, "field-json", value: "NAME=JSON",
                help: "Set a custom field of the user to a JSON value."),
            .disablingFlag(
                { $0.keepsSession = $1 }, "no-login", help: "Only create the account; keep the saved session."),
            .disablingFlag({ $0.checks = $1 }, "skip-checks", help: "Skip client-side validation."),
            .flag(
                { $0.mayExist = $1 }, "if-not-exists",
                help: "Log in if the account exists; if the password is wrong, exit with code 6."),
        ],
        rules: [.onePassword, .exclusive("if-not-exists", "no-login")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        try options.email?.requirePlain("e-mail")
        let client = try context.client()
        let fields = try FieldOptions.newUserFields(
            text: options.textFields, json: options.jsonFields, client.settings.backend.value)
        try context.requireWritable(for: client, savesSession: options.keepsSession)
        let prompt = CredentialsPrompt(context: context)
        let isNamed = client.settings.backend.value.naming == .email && (options.email ?? options.phone) != nil
        let naming = try prompt.naming(
            options.username ?? (isNamed ? nil : client.settings.sessionName?.value), email: options.email,
            phone: options.phone,
            of: client,
            asksPassword: !prompt.hasPassword(options), checks: options.checks)
        let checksPassword = options.checks && client.settings.backend.value.has(.checksNewAccounts)
        let name = naming.username ?? naming.email ?? options.phone ?? ""
        let password = try failing(as: "cannot sign up '\(name)'") { () throws(AuthError) in
            try prompt.newPassword(options, fault: { checksPassword ? AccountChecks.passwordFault($0) : nil })
        }
        let account = NewAccount(
            username: naming.username, email: naming.email, phone: options.phone,
            password: password, fields: fields)
        let signUp = SignUp(client)
        let check = context.hints.commandLine(["login"] + .argument(account.subject))
        let interruption = AuthError(
            .outcomeUnknown, "the signup was interrupted: the account may exist; to check, run: \(check)")
        let result = try context.printer.printing(interruption) { () throws(AuthError) in
            try options.mayExist
                ? signUp.unlessExists(account, checking: options.checks, askCode: prompt.promptedCode)
                : signUp.run(account, keepingSession: options.keepsSession, checking: options.checks)
        }
        func output(_ result: LogInResult) -> LogInOutput {
            LogInOutput(kind: .signup, result: result, settings: client.settings, hints: context.hints)
        }
        let first = output(result)
        guard result.pending?.step == .emailVerification, options.keepsSession, !first.lacksEmail else { return first }
        return try context.offerKey(after: first, of: ["verify-email"]) { key throws(AuthError) in
            output(try signUp.finish(result, of: account, with: key))
        }
    }
}
