package import AuthClient
package import AuthModel
package import CommandLineKit
package import JSON

/// Prints the session token and nothing else.
package enum TokenCommand: Command {
    package struct Options: CommandOptions {
        package init() {}
    }

    package static let name = "token"
    package static let heedsOutputVariable = false
    package static let spec = CommandSpec<Options>(
        name,
        summary: "Print the session token, and nothing else",
        discussion: "Whoever has the token is logged in. The server is not asked.",
        examples: [
            Example("TOKEN=$(authctl token) || exit", "Keep it in a variable of a script."),
            Example("authctl token --json", "With the time at which it runs out."),
        ],
        exitCodes: [0, 2, 3, 4, 12])

    package static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        return Output(profile: client.settings.profile.value, session: try client.liveSession())
    }

    package struct Output: CommandOutput {
        let profile: String
        let session: Session

        package func text(_ style: TextStyle) -> String { session.token.reveal() + "\n" }

        package var json: JSONValue {
            [
                "v": 1, "kind": "token", "profile": .string(profile), "token": .string(session.token.reveal()),
                "expiresAt": JSONValue(session.expiresAt.map(Timestamp.text)),
            ]
        }
    }
}
