import AuthClient
import AuthModel
import CommandLineKit

/// Lists values for completion scripts, one per line, as in `authctl __complete settings authctl profile set ci`.
///
/// `__complete` is internal, so help omits it. It reads only the configuration and the names of session files. If
/// reading fails, it prints nothing, because an error message would appear in the middle of the user's command line.
struct CompletionLists {
    static let word = "__complete"
    static let profiles = "profiles"
    static let settings = "settings"
    static let sessionNames = "session-names"

    let world: World

    /// - Parameter words: the arguments after `__complete`: the list's name, then the command line up to the cursor.
    func run(_ words: [String]) -> Ending {
        let names: [String] =
            switch words.first {
            case Self.profiles: profileNames
            case Self.settings: words.dropFirst().last { !$0.hasPrefix("-") }.map(settingKeys) ?? []
            case Self.sessionNames: sessionNames(on: Array(words.dropFirst(2)))
            default: []
            }
        // `try?`: a completion script cannot report errors.
        try? world.output.write(names.map { $0 + "\n" }.joined())
        return .exit(0)
    }

    private var profileNames: [String] {
        let configured = configuration.profiles.map(\.name)
        // A configuration file edited by hand may contain names with characters that are special in a shell.
        let names = configured.filter(Profile.isName)
        return names.contains(Profile.defaultName) ? names : ([Profile.defaultName] + names).sorted()
    }

    /// The keys of `profile set` for the profile's backend.
    private func settingKeys(of name: String) -> [String] {
        guard let profile = configuration[name] ?? (name == Profile.defaultName ? .builtIn : nil) else { return [] }
        let backends = world.backends().descriptors
        let word = profile.text(.backend)
        guard let backend = word.map({ backends.meant(by: $0) }) ?? backends.first else { return [] }
        let own = backend.settings.flatMap { setting in
            setting.isPerProvider ? IdentityProvider.known.map { "\(setting.word).\($0.name)" } : [setting.word]
        }
        return ProfileKey.words(for: backend) + own
    }

    /// The session names of the profile and connection that the words of a command line select.
    private func sessionNames(on line: [String]) -> [String] {
        var globals = GlobalOptions.spec.parseLeniently(line)
        // Ignore the session name, because the user is still typing it.
        globals.sessionName = ""
        let resolver = SettingsResolver(
            options: SettingsResolver.Options(globals), environment: world.environment,
            backends: world.backends().descriptors)
        // `try?`: without a valid profile, there are no session names.
        guard let settings = try? resolver.settings(in: configuration),
            let names = try? world.sessions({ _ in }).names(of: settings.profile.value, settings.connection)
        else { return [] }
        return names
    }

    /// `try?`: if the configuration cannot be read, only the built-in profile is available.
    private var configuration: Configuration { (try? world.configuration({ _ in }).load()) ?? Configuration() }
}

extension ValueCompletion {
    static let profiles = live(CompletionLists.profiles)
    /// Completes the session names of the profile and connection that the command line selects.
    static let sessionNames = live(CompletionLists.sessionNames)
    /// Completes the setting keys of the profile whose name precedes the key.
    static let profileSettings = live(CompletionLists.settings)
}
