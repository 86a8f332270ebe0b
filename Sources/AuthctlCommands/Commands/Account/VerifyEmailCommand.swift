import AuthModel
import CommandLineKit
import JSON

/// Has the mail sent again that confirms an address.
enum VerifyEmailCommand: Command {
    struct Options: CommandOptions {
        var email: String?
    }

    static let name = "verify-email"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Have the mail sent again that confirms an address",
        examples: [Example("authctl verify-email", "To the address of the account that is logged in.")],
        exitCodes: [0, 2, 3, 5, 7, 8, 9, 10, 12],
        arguments: [
            .option(\.email, "email", value: "ADDRESS", help: "The address; else that of who is logged in.")
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        let (email, wasSent) = try client.sendVerification(email: options.email)
        return Output(profile: client.settings.profile.value, email: email, wasSent: wasSent)
    }

    struct Output: CommandOutput {
        let profile: String
        let email: String
        let wasSent: Bool

        func text(_ style: TextStyle) -> String {
            wasSent
                ? "a mail was sent to \(email.shown): follow its link\n"
                : "the address \(email.shown) is verified already\n"
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "verify-email", "profile": .string(profile), "sent": .bool(wasSent),
                "verified": .bool(!wasSent),
            ]
        }
    }
}
