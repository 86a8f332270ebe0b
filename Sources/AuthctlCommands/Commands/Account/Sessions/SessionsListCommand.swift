import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Lists the account's sessions.
enum SessionsListCommand: Command {
    struct Options: CommandOptions {}

    static let name = "sessions list"
    static let spec = CommandSpec<Options>(
        name,
        summary: "List the account's sessions, the current one marked",
        examples: [
            Example("authctl sessions list", "Show where the account is logged in."),
            Example("authctl sessions list --json | jq -r '.items[].id'", "The ids, for scripts."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 8, 9, 12])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        let profile = client.settings.profile.value
        do throws(AuthError) {
            return Output(profile: profile, list: try client.sessions(), error: nil)
        } catch {
            // A state that was found is reported like a list; anything else is no state.
            guard error.outcome == .notLoggedIn || error.outcome == .rejected else { throw error }
            return Output(profile: profile, list: SessionList(items: [], isComplete: false), error: error)
        }
    }

    struct Output: CommandOutput {
        let profile: String
        let list: SessionList
        let error: AuthError?

        func text(_ style: TextStyle) -> String {
            if error != nil { return "" }
            var table = Table(["", "ID", "CREATED", "EXPIRES", "WITH", "DEVICE"])
            for item in list.items {
                table.add([
                    item.isCurrent ? "*" : "", item.id, item.createdAt.map(\.text) ?? "",
                    item.expiresAt.map(\.text) ?? "never", item.createdWith ?? "", item.device ?? "",
                ])
            }
            return table.text(style)
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "sessions", "profile": .string(profile), "complete": .bool(list.isComplete),
                "items": .array(list.items.map(\.json)), "error": JSONValue(error) { ErrorReport($0).json },
            ]
        }
    }
}

extension SessionSummary {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "current": .bool(isCurrent),
            "createdAt": JSONValue(createdAt.map(\.text)),
            "expiresAt": JSONValue(expiresAt.map(\.text)),
            "createdWith": JSONValue(createdWith), "device": JSONValue(device), "address": JSONValue(address),
        ]
    }
}
