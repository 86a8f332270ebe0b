import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum PasswordChangeCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var readsPassword = false
        var passwordFile: String?
        var newPasswordFile: String?
    }

    static let name = "password change"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Change the password of the account",
        discussion: """
            Asks for the current password and, twice, for the new one. With `--password-stdin` two lines are read: the \
            current password and the new one. Other sessions of the account may end; this one goes on.
            """,
        examples: [
            Example("authctl password change", "Both passwords are asked for."),
            Example("authctl password change --password-stdin < both.txt", "Two lines: current and new."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: .passwordSources() + [
            .option(
                { $0.newPasswordFile = $1 }, "new-password-file", value: "FILE",
                help: "Read the new password from this file.",
                environment: ["AUTHCTL_NEW_PASSWORD"])
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        _ = try client.sessions.current()
        let passwords = try CredentialsPrompt(context: context).passwordChange(
            options, newFile: options.newPasswordFile)
        let session = try ChangePassword(client).run(from: passwords.current, to: passwords.new)
        return Output(profile: client.settings.profile.value, session: session)
    }

    struct Output: CommandOutput {
        let profile: String
        let session: Session

        func text(_ style: TextStyle) -> String { "the password is changed (profile '\(profile)')\n" }

        var shownBy: [String]? { ["whoami"] }

        var json: JSONValue {
            ["v": 1, "kind": "password.change", "profile": .string(profile), "session": session.json]
        }
    }
}
