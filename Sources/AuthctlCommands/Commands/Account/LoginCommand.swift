package import AuthClient
package import AuthModel
package import CommandLineKit
package import JSON

/// Starts a session and keeps it.
package enum LoginCommand: Command {
    package struct Options: CommandOptions, TakesPassword {
        package var username: String?
        package var readsPassword = false
        package var passwordFile: String?

        package init() {}
    }

    package static let name = "login"
    package static let spec = CommandSpec<Options>(
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

    package static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        let client = try context.makeClient()
        let prompt = CredentialsPrompt(context: context)
        let username = try prompt.username(options.username)
        let credentials = Credentials(login: username, password: try prompt.password(options))
        return LogInOutput(kind: .login, result: try client.logIn(credentials), settings: client.settings)
    }
}
