import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Revokes some of the account's sessions.
enum SessionsRevokeCommand: Command {
    struct Options: CommandOptions {
        var ids: [String] = []
        var others = false
        var all = false
    }

    static let name = "sessions revoke"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Revoke sessions",
        discussion: """
            If one of the ids is unknown, no session is revoked. The id `current` is the session of this profile; on a \
            server without a list of sessions it is the only one that can be revoked.
            """,
        examples: [
            Example("authctl sessions revoke --others", "Revoke all sessions but this one."),
            Example("authctl sessions revoke g7y9tkhB7O", "Revoke one session; `sessions list` shows the ids."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: [
            .positionals({ $0.ids.append($1) }, "ID", help: "Id of a session."),
            .flag({ $0.others = $1 }, "others", help: "Revoke all sessions but the current one."),
            .flag({ $0.all = $1 }, "all", help: "Revoke all sessions, and log out."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        return Output(
            profile: client.settings.profile.value, result: try RevokeSessions(client).run(try choice(options)))
    }

    private static func choice(_ options: Options) throws(AuthError) -> SessionChoice {
        switch (options.ids.isEmpty, options.others, options.all) {
        case (false, false, false): return .ids(options.ids)
        case (true, true, false): return .others
        case (true, false, true): return .all
        case (true, false, false):
            throw AuthError(
                .usage, "no sessions specified", next: "specify session ids, --others or --all")
        default:
            throw AuthError(.usage, "ids, --others and --all are mutually exclusive", next: "use one of them")
        }
    }

    struct Output: CommandOutput {
        let profile: String
        let result: RevocationResult

        func text(_ style: TextStyle) -> String {
            let count = result.ids.count
            let ended = count == 1 ? "revoked 1 session" : "revoked \(count) sessions"
            return result.forgotten ? "\(ended), including the current one: logged out\n" : "\(ended)\n"
        }

        var stateCommand: [String]? { result.forgotten ? ["profile", "list"] : ["sessions"] }

        var json: JSONValue {
            [
                "v": 1, "kind": "sessions.revoke", "profile": .string(profile),
                "revoked": JSONValue(result.ids), "forgotten": .bool(result.forgotten),
            ]
        }
    }
}
