import AuthClient
import AuthModel
import CommandLineKit

/// Sets the profile in use.
enum ProfileUseCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
    }

    static let name = "profile use"
    static let usesProfile = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Choose the profile that commands use",
        discussion: "`--profile` and AUTHCTL_PROFILE outrank the choice.",
        examples: [Example("authctl profile use ci", "From now on every command means this profile.")],
        exitCodes: [0, 2, 12],
        arguments: [.positional({ $0.profile = $1 }, "NAME", help: "The profile.").completed(by: .profiles)])

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
