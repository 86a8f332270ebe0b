import AuthModel
import CommandLineKit
import JSON

enum ProfileListCommand: Command {
    struct Options: CommandOptions {}

    static let name = "profile list"
    static let summary = "List profiles"
    static let usesProfile = false
    static let spec = declaration(
        examples: [
            Example("authctl profile list", "Show connections and users; the current profile is marked."),
            Example("authctl profile list --json | jq -r '.items[].name'", "Print the names, for scripts."),
        ],
        exitCodes: [0, 2, 12])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let book = try ProfileBook(context)
        let output = Output(
            current: book.current, user: book.currentUser, items: book.items(), width: context.tableWidth)
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
        /// The session name that `profile use --as` set.
        let user: String?
        let items: [ProfileItem]
        /// The width of the terminal in columns; `nil` for no limit.
        let width: Int?

        func text(_ style: TextStyle) -> String {
            let hasNames = items.contains { !$0.sessionNames.isEmpty }
            var table = Table(["", "NAME", "BACKEND", "SERVER", "USER"] + (hasNames ? ["AS"] : []))
            for item in items {
                table.add(
                    [item.name == current ? "*" : "", item.name, item.backend, item.server ?? "", item.username ?? ""]
                        + (hasNames ? [names(of: item).list(atMost: 3)] : []))
            }
            return table.text(style, width: width, shrinking: [4])
        }

        /// The session names of a profile; the one in use comes first, with a mark.
        private func names(of item: ProfileItem) -> [String] {
            guard let user, item.name == current else { return item.sessionNames }
            return ["*\(user)"] + item.sessionNames.filter { $0 != user }
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "profiles", "current": .string(current), "as": JSONValue(user),
                "items": .array(items.map(\.json)),
            ]
        }
    }
}
