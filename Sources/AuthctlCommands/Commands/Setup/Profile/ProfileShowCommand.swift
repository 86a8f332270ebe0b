import AuthModel
import CommandLineKit

/// Shows one profile.
enum ProfileShowCommand: Command {
    struct Options: CommandOptions {
        var profile: String?
    }

    static let name = "profile show"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Show a profile",
        examples: [Example("authctl profile show ci", "Show where it leads and who is logged in.")],
        exitCodes: [0, 2, 12],
        arguments: [.positional(\.profile, "NAME", help: "The profile; else the one in use.")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let book = try ProfileBook(context)
        let name = options.profile ?? book.current
        try book.requireProfile(name)
        let item = book.item(name)
        return ProfileOutput(item: item, message: text(item, isCurrent: name == book.current))
    }

    private static func text(_ item: ProfileItem, isCurrent: Bool) -> String {
        var lines = ["name:    \(item.name)\(isCurrent ? " (in use)" : "")", "backend: \(item.backend)"]
        if let server = item.server { lines.append("server:  \(server.shown)") }
        if let appID = item.appID { lines.append("app id:  \(appID.shown)") }
        lines.append("user:    \(item.username?.shown ?? "nobody is logged in")")
        return lines.joined(separator: "\n")
    }
}
