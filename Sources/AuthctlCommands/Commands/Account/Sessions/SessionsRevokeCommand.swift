import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum SessionsRevokeCommand: Command {
    struct Options: CommandOptions {
        var ids: [String] = []
        var others = false
        var all = false
    }

    static let name = "sessions revoke"
    static let summary = "Revoke sessions"
    static let spec = declaration(
        discussion: """
            If one of the ids is unknown, no session is revoked. The id `current` means the session of this profile. \
            Other ids work with \(HelpTopics.backends(of: "sessions list")); `--others` and `--all` with \
            \(HelpTopics.backends(of: "sessions revoke --others")). Servers of \
            \(HelpTopics.backends(with: .endsSessionsByPasswordChange)) cannot revoke sessions.
            """,
        examples: [
            Example("authctl sessions revoke --others", "Revoke all sessions but the current one."),
            Example("authctl sessions revoke g7y9tkhB7O", "Revoke one session; `sessions list` shows the ids."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: [
            .positionals({ $0.ids.append($1) }, "ID", help: "Id of a session."),
            .flag({ $0.others = $1 }, "others", help: "Revoke all sessions but the current one."),
            .flag({ $0.all = $1 }, "all", help: "Revoke all sessions, and log out."),
        ],
        rules: [.exclusive("ID", "others", "all")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        guard options.others || options.all || !options.ids.isEmpty else {
            throw AuthError(.usage, "no sessions specified", next: "specify session ids, --others or --all")
        }
        let client = try context.client()
        let choice: SessionChoice = options.others ? .others : options.all ? .all : .ids(options.ids)
        return Output(profile: client.settings.profile.value, result: try RevokeSessions(client).run(choice))
    }

    struct Output: CommandOutput {
        let profile: String
        let result: RevocationResult

        func text(_ style: TextStyle) -> String {
            let count = result.ids?.count
            let ended =
                count.map { $0 == 1 ? "revoked 1 session" : "revoked \($0) sessions" }
                ?? (result.forgotten ? "revoked all sessions" : "revoked all other sessions")
            return result.forgotten ? "\(ended), including the current one: logged out\n" : "\(ended)\n"
        }

        var stateCommand: [String]? { result.forgotten ? ["profile", "list"] : ["sessions"] }

        var json: JSONValue {
            [
                "v": 1, "kind": "sessions.revoke", "profile": .string(profile),
                "revoked": JSONValue(result.ids) { JSONValue($0) }, "forgotten": .bool(result.forgotten),
            ]
        }
    }
}
