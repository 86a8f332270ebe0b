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
        summary: "End some of the account's sessions",
        discussion: """
            If one of the ids is unknown, no session is ended. Where the server has no list of sessions, `current` ends \
            the one of this profile, and others cannot be ended.
            """,
        examples: [
            Example("authctl sessions revoke --others", "Keep only the session of this profile."),
            Example("authctl sessions revoke g7y9tkhB7O", "End one; `sessions list` shows the ids."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: [
            .positionals({ $0.ids.append($1) }, "ID", help: "A session to end."),
            .flag({ $0.others = $1 }, "others", help: "End all but the current one."),
            .flag({ $0.all = $1 }, "all", help: "End all, the current one too, and forget that here."),
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
                .usage, "it is not said which sessions to end", next: "give their ids, or --others, or --all")
        default:
            throw AuthError(.usage, "ids, --others and --all exclude each other", next: "give one of them")
        }
    }

    struct Output: CommandOutput {
        let profile: String
        let result: RevocationResult

        func text(_ style: TextStyle) -> String {
            let count = result.ids.count
            let ended = count == 1 ? "ended 1 session" : "ended \(count) sessions"
            return result.forgotten ? "\(ended), the current one too: logged out\n" : "\(ended)\n"
        }

        var shownBy: [String]? { result.forgotten ? ["profile", "list"] : ["sessions"] }

        var json: JSONValue {
            [
                "v": 1, "kind": "sessions.revoke", "profile": .string(profile),
                "revoked": JSONValue(result.ids), "forgotten": .bool(result.forgotten),
            ]
        }
    }
}
