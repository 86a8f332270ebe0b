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
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        discussion: "`--profile` and AUTHCTL_PROFILE override the current profile.",
        examples: [Example("authctl profile use ci", "Use this profile from now on.")],
        exitCodes: [0, 2, 12],
        arguments: [.positional({ $0.profile = $1 }, "NAME", help: "Profile name.").completed(by: .profiles)])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let name = options.profile
        return try context.changeProfile(name, "using profile '\(name)'") { configuration throws(AuthError) in
            guard configuration[name] != nil || name == Profile.defaultName else {
                throw .unknownProfile(Setting(name, from: .builtIn))
            }
            configuration.current = name
        }
    }
}
