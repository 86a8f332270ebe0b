import AuthBackends
import AuthClient
import AuthModel
import CommandLineKit

enum ProfileShowCommand: Command {
    struct Options: CommandOptions {
        var profile: String?
    }

    static let name = "profile show"
    static let summary = "Show a profile"
    static let usesProfile = false
    static let spec = declaration(
        examples: [Example("authctl profile show ci", "Show the connection and user of profile ci.")],
        exitCodes: [0, 2, 12],
        arguments: [
            .optionalPositional({ $0.profile = $1 }, "NAME", help: "Profile name (default: the current profile).")
                .completed(by: .profiles)
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let book = try ProfileBook(context)
        let name = options.profile ?? book.current
        try book.requireProfile(name)
        let item = book.item(name)
        let text = text(item, book.configuration[name], isCurrent: name == book.current)
        return ProfileOutput(item: item, message: text, current: book.current, stateCommand: nil)
    }

    private static func text(_ item: ProfileItem, _ profile: Profile?, isCurrent: Bool) -> String {
        var lines = ["name:    \(item.name)\(isCurrent ? " (current)" : "")", "backend: \(item.backend.shown)"]
        if let server = item.server { lines.append("server:  \(server.shown)") }
        if let appID = item.appID { lines.append("app id:  \(appID.shown)") }
        if profile?.text(.clientKey) != nil { lines.append("key:     saved in the configuration") }
        let secrets = BackendRegistry.standard.descriptors.settings.filter { $0.form == .secret }
        for setting in secrets where profile?.settings[setting.key]?.string != nil {
            lines.append("\(setting.key): saved in the configuration")
        }
        if profile?.isOn(.allowsHTTP) ?? false { lines.append("http:    plain http allowed") }
        for setting in item.settings.members { lines.append("\(setting.name): \((setting.value.string ?? "").shown)") }
        lines.append("user:    \(item.username?.shownShort ?? "not logged in")")
        if !item.sessionNames.isEmpty { lines.append("as:      \(item.sessionNames.list(atMost: 20))") }
        for other in item.otherSessions { lines.append("other session: \(other.description.shown)") }
        return lines.joined(separator: "\n")
    }
}
