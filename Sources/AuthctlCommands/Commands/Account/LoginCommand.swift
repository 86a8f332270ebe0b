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
        summary: "Start a session and keep it",
        discussion: """
            The session kept so far for the profile is replaced, but not ended at the server: another job may hold it. \
            With `--facebook` a code is shown, to be entered at Facebook in any browser, unless a token is given: that \
            of a user of the Facebook app that the server knows. The account is made if there is none.
            """,
        examples: [
            Example("authctl login ada", "Log in; the password is asked for."),
            Example("authctl login ada --password-stdin < password.txt", "Log in from a script."),
            Example("authctl login --facebook", "Log in with Facebook, in a browser on whatever device."),
            Example("authctl login --facebook --token-file token.txt", "The same with a token that is there already."),
        ],
        exitCodes: [0, 2, 4, 5, 6, 7, 8, 9, 10, 12],
        arguments: [
            .optionalPositional({ $0.username = $1 }, "USERNAME", help: "The name of the account, or its e-mail.")
        ]
            + .passwordSources() + [
                .option(
                    { $0.code = $1 }, "otp", value: "CODE",
                    help: "The one-time code of the second factor, or a recovery code; else it is asked for."),
                .flag(
                    { $0.readsToken = $1 }, "token-stdin", help: "Keep the session whose token is on standard input."),
                .option(
                    { $0.tokenFile = $1 }, "token-file", value: "FILE",
                    help: "Keep the session whose token is in this file."),
                .flag({ $0.usesFacebook = $1 }, "facebook", help: "Log in with Facebook; a token is then Facebook's."),
            ] + .facebook() + [
                .flag(
                    { $0.isAnonymous = $1 }, "anonymous",
                    help: "Make an account for somebody who does not say who they are.")
            ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        let client = try context.makeClient()
        return LogInOutput(
            kind: .login, result: try logIn(options, client, context), settings: client.settings, hints: context.hints)
    }

    private static func logIn(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> LogInResult {
        try requireOneWay(options)
        if options.isAnonymous { return try LogIn(client).anonymously() }
        let prompt = CredentialsPrompt(context: context)
        let code = try options.code.map { code throws(AuthError) in try prompt.code(code) }
        if options.usesFacebook {
            let credential = try FacebookInput(context: context).credential(options)
            return try LogInWithFacebook(client).run(
                credential, fills: options.facebook.fills, code: code, askCode: prompt.askedCode)
        }
        if let source = options.readsToken ? "-" : options.tokenFile {
            let reader = SecretReader(what: "session", context: context)
            return try LogIn(client).withToken(try reader.token(in: source))
        }
        let username = try prompt.login(options.username, of: client)
        let credentials = Credentials(login: username, password: try prompt.password(options))
        return try LogIn(client).withPassword(credentials, code: code, askCode: prompt.askedCode)
    }

    private static func requireOneWay(_ options: Options) throws(AuthError) {
        if !options.usesFacebook, let option = options.givenFacebookOption {
            throw AuthError(.usage, "\(option) is of use with --facebook only", next: "add --facebook")
        }
        let hasToken = options.readsToken || options.tokenFile != nil
        let hasPassword =
            options.username != nil || options.readsPassword || options.passwordFile != nil
            || options.code != nil && !options.usesFacebook
        let ways = [hasToken || options.usesFacebook, hasPassword, options.isAnonymous].count { $0 }
        guard ways <= 1, !(options.readsToken && options.tokenFile != nil) else {
            throw AuthError(
                .usage, "there is more than one way to log in in this command",
                next: "give a user name and a password, or a token, or --facebook, or --anonymous")
        }
    }
}
