import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Prints only the session token.
enum TokenCommand: Command {
    struct Options: CommandOptions {}

    static let name = "token"
    static let readsOutputVariable = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Print the session token",
        discussion: """
            The token gives access to the account. authctl sends a request only to refresh an expired session, and once \
            to learn when a Parse session expires.
            """,
        examples: [
            Example("TOKEN=$(authctl token) || exit", "Use the token in a script."),
            Example("authctl token --json", "Print token and expiry as JSON."),
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
