import AuthModel
import CommandLineKit
import JSON

/// Has the mail sent again that confirms an address.
enum VerifyEmailCommand: Command {
    struct Options: CommandOptions {
        var email: String?
        var key: String?
    }

    static let name = "verify-email"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Have the mail sent that confirms an address, or confirm it",
        examples: [
            Example("authctl verify-email", "A mail to the address of the account that is logged in."),
            Example("authctl verify-email --key 0f3a", "Confirm the address with the key of the mail's link."),
            Example("authctl verify-email --key MPDF-FRQW", "With a code; whoever was signing up is logged in."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: [
            .option({ $0.email = $1 }, "email", value: "ADDRESS", help: "The address; else that of who is logged in."),
            .option(
                { $0.key = $1 }, "key", value: "KEY",
                help: "Confirm the address with this key of a link, or code; no mail is sent."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        let profile = client.settings.profile.value
        if let key = options.key {
            return Output(profile: profile, outcome: .verified(try client.verifyEmail(key: key).user))
        }
        let (email, wasSent, holdsCode) = try client.sendVerification(email: options.email)
        if wasSent { context.noteMailFolder(of: client) }
        let sent = holdsCode ? Output.Outcome.sentCode(email) : .sent(email)
        return Output(profile: profile, outcome: wasSent ? sent : .alreadyVerified(email))
    }

    struct Output: CommandOutput {
        enum Outcome: Equatable {
            case sent(String)
            case sentCode(String)
            case alreadyVerified(String)
            /// Somebody is logged in by it whose log-in was waiting for it.
            case verified(User?)
        }

        let profile: String
        let outcome: Outcome

        func text(_ style: TextStyle) -> String {
            switch outcome {
            case .sent(let email): "a mail was sent to \(email.shown): follow its link\n"
            case .sentCode(let email):
                "a mail was sent to \(email.shown): give its code with --key CODE\n"
            case .alreadyVerified(let email): "the address \(email.shown) is verified already\n"
            case .verified(nil): "the address is verified\n"
            case .verified(let user?):
                "the address is verified; logged in as \((user.displayName ?? "").shown) (profile '\(profile)')\n"
            }
        }

        var json: JSONValue {
            let wasSent =
                switch outcome {
                case .sent, .sentCode: true
                case .alreadyVerified, .verified: false
                }
            let user = if case .verified(let user) = outcome { user } else { User?.none }
            return [
                "v": 1, "kind": "verify-email", "profile": .string(profile), "sent": .bool(wasSent),
                "verified": .bool(!wasSent), "user": JSONValue(user, \.json),
            ]
        }
    }
}
