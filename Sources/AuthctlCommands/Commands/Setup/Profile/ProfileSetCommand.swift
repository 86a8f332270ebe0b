import AuthClient
import AuthModel
import CommandLineKit

/// Changes a setting of a profile.
enum ProfileSetCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
        var key = ""
        var value = ""
    }

    static let name = "profile set"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Change a setting of a profile",
        discussion: "The key is `backend`. A session that does not fit any more is kept, but not used.",
        examples: [Example("authctl profile set ci backend local", "Lead the profile to this machine's accounts.")],
        exitCodes: [0, 2, 12],
        arguments: [
            .positional(\.profile, "NAME", help: "The profile."),
            .positional(\.key, "KEY", help: "Which setting."),
            .positional(\.value, "VALUE", help: "What it is to be."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let name = options.profile
        guard options.key == ProfileKey.backend.rawValue else {
            throw AuthError(
                .usage, "a profile has no setting '\(options.key)'",
                hint: "the settings are: \(ProfileKey.backend.rawValue)")
        }
        let backend = try context.resolver.descriptor(options.value, from: .builtIn).kind
        return try context.changeProfile(name, "changed profile '\(name)'") { configuration throws(AuthError) in
            var profile = configuration[name]
            if name == Profile.defaultName { profile = profile ?? Profile(name: name, settings: [:]) }
            guard var profile else { throw .unknownProfile(Setting(name, from: .builtIn)) }
            profile.settings[options.key] = .string(backend)
            configuration[name] = profile
        }
    }
}
