import AuthModel
import CommandLineKit
import JSON

enum ProfileListCommand: Command {
    struct Options: CommandOptions {}

    static let name = "profile list"
    static let summary = "List profiles"
    static let usesProfile = false
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        examples: [
            Example("authctl profile list", "Show connections and users; the current profile is marked."),
            Example("authctl profile list --json | jq -r '.items[].name'", "Print the names, for scripts."),
        ],
        exitCodes: [0, 2, 12])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let book = try ProfileBook(context)
        let output = Output(current: book.current, items: book.items())
        for item in output.items {
            for other in item.otherSessions.prefix(shownSessions) {
                context.events.note("profile '\(item.name)' also has a session \(other.description)")
            }
            let rest = item.otherSessions.count - shownSessions
            if rest > 0 {
                context.events.note("profile '\(item.name)' has \(rest) more sessions for other connections")
            }
        }
        return output
    }

    /// The maximum number of sessions for other connections that text output lists for each profile.
    private static let shownSessions = 10

    struct Output: CommandOutput {
        let current: String
        let items: [ProfileItem]

        func text(_ style: TextStyle) -> String {
            let hasNames = items.contains { !$0.sessionNames.isEmpty }
            var table = Table(["", "NAME", "BACKEND", "SERVER", "USER"] + (hasNames ? ["AS"] : []))
            for item in items {
                table.add(
                    [item.name == current ? "*" : "", item.name, item.backend, item.server ?? "", item.username ?? ""]
                        + (hasNames ? [item.sessionNames.list(atMost: 3)] : []))
            }
            return table.text(style)
        }

        var json: JSONValue {
            ["v": 1, "kind": "profiles", "current": .string(current), "items": .array(items.map(\.json))]
        }
    }
}
