import AuthClient
import AuthModel
import CommandLineKit

enum ProfileUseCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
    }

    static let name = "profile use"
    static let summary = "Set the current profile"
    static let usesProfile = false
    static let spec = declaration(
        discussion: """
            `--profile` and AUTHCTL_PROFILE override the current profile. With `--as USER`, the session saved as USER is \
            used until the next `profile use`; `--as` and AUTHCTL_AS override it, and `--as ''` means the profile's own \
            session. Without NAME, authctl asks for it on a terminal.
            """,
        examples: [
            Example("authctl profile use ci", "Use this profile from now on."),
            Example("authctl profile use default", "Use the local accounts again."),
        ],
        exitCodes: [0, 2, 3, 12],
        arguments: [.optionalPositional({ $0.profile = $1 }, "NAME", help: "Profile name.").completed(by: .profiles)])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let names = try ProfileBook(context).names.list(atMost: 20)
        let name = try context.required(
            options.profile, "Profile (\(names)): ",
            or: AuthError(
                .usage, "missing argument NAME", next: NextStep("list the profiles", run: ["profile", "list"])))
        let user = context.globals.sessionName.flatMap { $0.isEmpty ? nil : $0 }
        let message = "using profile '\(name)'" + (user.map { ", session '\($0)'" } ?? "")
        return try context.changeProfile(name, message) { configuration throws(AuthError) in
            let book = try ProfileBook(context, configuration)
            try book.requireProfile(name, canBeAdded: true)
            if let user, !book.item(name).sessionNames.contains(user) {
                throw AuthError(
                    .noSession, "profile '\(name)' has no session '\(user)'",
                    next: NextStep("log in", run: ["-p", name, "--as", user, "login"]))
            }
            (configuration.current, configuration.currentUser) = (name, user)
        }
    }
}
