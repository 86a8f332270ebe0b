import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Logs in and saves the session.
enum LoginCommand: Command {
    struct Options: CommandOptions, TakesPassword, TakesFacebookIdentity {
        var username: String?
        var readsPassword = false
        var passwordFile: String?
        var code: String?
        var readsToken = false
        var tokenFile: String?
        var usesFacebook = false
        var facebook = FacebookOptions()
        var isAnonymous = false
    }

    static let name = "login"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Log in to an account",
        discussion: """
            Saves a session for the current profile. The previous session is replaced, but stays valid on the server. With \
            `--as NAME` the session is saved beside the profile's own, and NAME is the default username. The password is \
            read from the terminal unless an option or AUTHCTL_PASSWORD supplies it. With `--facebook`, authctl shows a \
            code to enter on Facebook in any browser, unless an option supplies a Facebook token; an account is created \
            if none exists.
            """,
        examples: [
            Example("authctl login ada", "Prompt for the password."),
            Example("authctl login ada --password-stdin < password.txt", "Log in from a script."),
            Example("authctl login --as ada", "Log in beside the profile's own session."),
            Example("authctl login --facebook", "Log in with Facebook in any browser."),
            Example("authctl login --facebook --token-file token.txt", "Log in with an existing Facebook token."),
        ],
        exitCodes: [0, 2, 4, 5, 6, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        notes: .paragraphs(
            """
            A Django site with token keys has one key per user: a logout on one device logs out all devices. A site with JWTs \
            issues tokens for a few minutes. authctl refreshes them automatically if the site returns the refresh token in the \
            response body; with JWT_AUTH_HTTPONLY the session ends when the token expires. A site with cookie sessions only is \
            not supported.

            Kii Cloud cannot revoke sessions: `logout` only deletes the saved session. A password change revokes all sessions.
            """),
        arguments: [
            .optionalPositional(
                { $0.username = $1 }, "USERNAME", help: "Username or e-mail address (default: the NAME of `--as`).")
        ]
            + .passwordSources() + [
                .option(
                    { $0.code = $1 }, "otp", value: "CODE",
                    help: "One-time code or recovery code of the second factor."),
                .flag(
                    { $0.readsToken = $1 }, "token-stdin",
                    help: "Save an existing session; read its token from standard input."),
                .option(
                    { $0.tokenFile = $1 }, "token-file", value: "FILE",
                    help: "Save an existing session; read its token from FILE."),
                .flag(
                    { $0.usesFacebook = $1 }, "facebook",
                    help: "Log in with Facebook; token options then read a Facebook token."),
            ] + .facebook() + [
                .flag(
                    { $0.isAnonymous = $1 }, "anonymous",
                    help: "Log in as a new anonymous user.")
            ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        let client = try context.makeClient()
        return LogInOutput(
            kind: .login, result: try logIn(options, client, context), settings: client.settings, hints: context.hints)
    }

    private static func logIn(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> LogInResult {
        try requireOneMethod(options)
        try context.requireWritable(for: client)
        if options.isAnonymous { return try LogIn(client).anonymously() }
        let prompt = CredentialsPrompt(context: context)
        let code = try options.code.map { code throws(AuthError) in try prompt.code(code) }
        if options.usesFacebook {
            let credential = try FacebookInput(context: context).credential(options)
            return try LogInWithFacebook(client).run(
                credential, fills: options.facebook.fills, code: code, askCode: prompt.promptedCode)
        }
        if let source = options.readsToken ? "-" : options.tokenFile {
            let reader = SecretReader(what: "session token", context: context)
            return try LogIn(client).withToken(try reader.token(in: source))
        }
        let username = try prompt.login(options.username ?? client.settings.sessionName?.value, of: client)
        let password: Secret
        do throws(AuthError) {
            password = try prompt.password(options)
        } catch {
            throw error.explaining("cannot log in as '\(username)'")
        }
        let credentials = Credentials(login: username, password: password)
        return try LogIn(client).withPassword(credentials, code: code, askCode: prompt.promptedCode)
    }

    private static func requireOneMethod(_ options: Options) throws(AuthError) {
        if !options.usesFacebook, let option = options.givenFacebookOption {
            throw AuthError(.usage, "option \(option) requires --facebook", next: "add --facebook")
        }
        let hasToken = options.readsToken || options.tokenFile != nil
        let hasPassword =
            options.username != nil || options.readsPassword || options.passwordFile != nil
            || options.code != nil && !options.usesFacebook
        let ways = [hasToken || options.usesFacebook, hasPassword, options.isAnonymous].count { $0 }
        guard ways <= 1, !(options.readsToken && options.tokenFile != nil) else {
            throw AuthError(
                .usage, "more than one authentication method",
                next: "use USERNAME with a password, a token option, --facebook or --anonymous")
        }
    }
}
