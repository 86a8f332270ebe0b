import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

/// Sends a password-reset e-mail.
enum PasswordResetCommand: Command {
    struct Options: CommandOptions {
        var email = ""
    }

    static let name = "password reset"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Send a password-reset e-mail",
        examples: [Example("authctl password reset ada@example.org", "Then follow the link in the e-mail.")],
        exitCodes: [0, 2, 4, 5, 7, 8, 9, 10, 12],
        arguments: [.positional({ $0.email = $1 }, "EMAIL", help: "E-mail address of the account.")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        try options.email.requirePlain("e-mail")
        let client = try context.makeClient()
        try ResetPassword(client).run(email: options.email)
        context.noteMailFolder(of: client)
        return Output(profile: client.settings.profile.value, email: options.email)
    }

    struct Output: CommandOutput {
        let profile: String
        let email: String

        func text(_ style: TextStyle) -> String {
            "if an account has the address \(email.shown), an e-mail was sent to it: follow its link\n"
        }

        /// No command shows whether an e-mail was sent; sending a second one is harmless.
        var stateCommand: [String]? { ["password", "reset"] + (email.hasPrefix("-") ? ["--", email] : [email]) }

        var json: JSONValue {
            ["v": 1, "kind": "password.reset", "profile": .string(profile), "sent": true]
        }
    }
}
