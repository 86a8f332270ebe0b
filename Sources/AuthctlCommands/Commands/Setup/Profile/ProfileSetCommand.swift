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
        discussion: """
            The key is one of backend, server, appId, clientKeyFile (a file whose key is kept in the profile) and \
            allowHttp (true or false). Another server takes clientKeyFile and allowHttp out. A session that does not fit \
            any more is kept, but not used.
            """,
        examples: [
            Example("authctl profile set ci backend local", "Lead the profile to this machine's accounts."),
            Example("authctl profile set live clientKeyFile rest-key.txt", "Send this key with every request."),
        ],
        exitCodes: [0, 2, 12],
        arguments: [
            .positional({ $0.profile = $1 }, "NAME", help: "The profile.").completed(by: .profiles),
            .positional({ $0.key = $1 }, "KEY", help: "Which setting.").completed(
                by: .words(ProfileSetting.allCases.map(\.rawValue))),
            .positional({ $0.value = $1 }, "VALUE", help: "What it is to be."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let name = options.profile
        guard let setting = ProfileSetting(rawValue: options.key) else {
            let known = ProfileSetting.allCases.map(\.rawValue).joined(separator: ", ")
            throw AuthError(
                .usage, "a profile has no setting '\(options.key)'", hint: "the settings are: \(known)")
        }
        let change = try ProfileChange(setting, options.value, in: context)
        var unusable: String?
        let output = try context.changeProfile(name, "changed profile '\(name)'") { configuration throws(AuthError) in
            var profile = configuration[name]
            if name == Profile.defaultName { profile = profile ?? Profile(name: name, settings: [:]) }
            guard var profile else { throw .unknownProfile(Setting(name, from: .builtIn)) }
            change.apply(to: &profile)
            configuration[name] = profile
            unusable = problem(of: name, in: configuration, context)
        }
        // Not refused: the setting that mends it may be the next one.
        if let unusable { context.events.warn("profile '\(name)' cannot be used like this: \(unusable)") }
        return output
    }

    private static func problem(
        of name: String, in configuration: Configuration, _ context: Context
    ) -> String? {
        do throws(AuthError) {
            _ = try context.settings(of: name, alone: configuration)
            return nil
        } catch {
            return error.message
        }
    }
}
