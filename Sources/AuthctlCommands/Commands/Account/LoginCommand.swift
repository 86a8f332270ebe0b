import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Starts a session and keeps it.
enum LoginCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var username: String?
        var readsPassword = false
        var passwordFile: String?
    }

    static let name = "login"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Start a session and keep it",
        discussion: """
            The session kept so far for the profile is replaced, but not ended at the server: another job may hold it.
            """,
        examples: [
            Example("authctl login ada", "Log in; the password is asked for."),
            Example("authctl login ada --password-stdin < password.txt", "Log in from a script."),
        ],
        exitCodes: [0, 2, 4, 5, 8, 9, 12],
        arguments: [.positional(\.username, "USERNAME", help: "The name of the account, or its e-mail.")]
            + .passwordSources())

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        let client = try context.makeClient()
        let prompt = CredentialsPrompt(context: context)
        let username = try prompt.username(options.username)
        let credentials = Credentials(login: username, password: try prompt.password(options))
        return LogInOutput(kind: .login, result: try client.logIn(credentials), settings: client.settings)
    }
}
