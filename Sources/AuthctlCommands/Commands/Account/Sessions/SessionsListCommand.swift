import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum SessionsListCommand: Command {
    struct Options: CommandOptions {}

    static let name = "sessions list"
    static let summary = "List the account's sessions"
    static let spec = declaration(
        discussion: "If the server cannot list sessions, authctl shows only the current session.",
        examples: [
            Example("authctl sessions list", "Show all sessions; the current one is marked."),
            Example("authctl sessions list --json | jq -r '.items[].id'", "Print the ids, for scripts."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.client()
        var output = Output(
            profile: client.settings.profile.value, hints: context.hints, times: TimeStyle(context),
            width: context.tableWidth)
        do throws(AuthError) {
            output.list = try ListSessions(client).run()
        } catch {
            // The JSON document reports errors of the session or server, but not errors such as invalid settings.
            let outcomes: Set<Outcome> = [.notLoggedIn, .rejected, .actionNeeded, .unreachable, .serverError]
            guard outcomes.contains(error.outcome) else { throw error }
            output.error = error
        }
        return output
    }

    struct Output: CommandOutput {
        let profile: String
        var list = SessionList.unknown
        var error: AuthError?
        let hints: HintRenderer
        let times: TimeStyle
        /// The width of the terminal in columns; `nil` for no limit.
        let width: Int?

        func text(_ style: TextStyle) -> String {
            if error != nil { return "" }
            let columns = columns.filter { column in
                column.isAlwaysShown || list.items.contains { !column.text($0).isEmpty }
            }
            var table = Table(columns.map(\.name))
            for item in list.items { table.add(columns.map { $0.text(item) }) }
            return table.text(style, width: width, shrinking: columns.indices.filter { columns[$0].isShrinkable })
        }

        private struct Column {
            let name: String
            /// Whether to show the column even if it is empty in all rows.
            var isAlwaysShown = true
            /// Whether a narrow terminal may cut the cells.
            var isShrinkable = false
            let text: (SessionSummary) -> String
        }

        private var columns: [Column] {
            [
                Column(name: "") { $0.isCurrent ? "*" : "" }, Column(name: "ID", text: \.id),
                Column(name: "CREATED") { times.text($0.createdAt) },
                Column(name: "LAST SEEN", isAlwaysShown: false) { times.text($0.lastSeenAt) },
                Column(name: "EXPIRES") { times.text($0.expiresAt) },
                Column(name: "LOGIN") {
                    $0.createdWith == SessionSummary.impersonated ? "impersonated" : $0.createdWith ?? ""
                },
                Column(name: "DEVICE", isShrinkable: true) { $0.device ?? "" },
                Column(name: "ADDRESS", isAlwaysShown: false, isShrinkable: true) { $0.address ?? "" },
            ]
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "sessions", "profile": .string(profile), "complete": .bool(list.isComplete),
                "items": .array(list.items.map(\.json)), "error": JSONValue(error) { ErrorReport($0, hints).json },
            ]
        }
    }
}

extension SessionSummary {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "current": .bool(isCurrent),
            "createdAt": JSONValue(createdAt.map(\.text)),
            "expiresAt": JSONValue(expiresAt.map(\.text)), "lastSeenAt": JSONValue(lastSeenAt.map(\.text)),
            "createdWith": JSONValue(createdWith), "device": JSONValue(device), "address": JSONValue(address),
        ]
    }
}
