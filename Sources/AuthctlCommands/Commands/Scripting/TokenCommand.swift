import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Prints only the session token.
enum TokenCommand: Command {
    struct Options: CommandOptions {}

    static let name = "token"
    static let heedsOutputVariable = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Print the session token, and nothing else",
        discussion: """
            Whoever has the token is logged in. The server is asked only where the session has run out and can be \
            renewed; then the new token is printed.
            """,
        examples: [
            Example("TOKEN=$(authctl token) || exit", "Keep it in a variable of a script."),
            Example("authctl token --json", "With the time at which it runs out."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 8, 9, 10, 12])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        return Output(profile: client.settings.profile.value, live: try client.sessions.liveToken())
    }

    struct Output: CommandOutput {
        let profile: String
        let live: LiveToken

        func text(_ style: TextStyle) -> String { live.token.reveal() + "\n" }

        var json: JSONValue {
            [
                "v": 1, "kind": "token", "profile": .string(profile), "token": .string(live.token.reveal()),
                "expiresAt": JSONValue(live.expiresAt.map(\.text)),
            ]
        }
    }
}
