import AuthBackends
import AuthClient
import AuthModel
import CommandLineKit
import Platform

enum ProfileSetCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
        var key = ""
        var value: String?
        var unset: String?
    }

    static let name = "profile set"
    static let summary = "Change a setting of a profile"
    static let usesProfile = false
    static let spec = declaration(
        discussion: """
            A new server or backend removes settings of the old one, and a note names them; sessions are kept. A \
            relative path is saved as an absolute one.
            """,
        table: ("Settings", rows(BackendRegistry.standard.descriptors)),
        examples: [
            Example("authctl profile set live clientKeyFile rest-key.txt", "Save the REST key of the application.")
        ],
        exitCodes: [0, 2, 12],
        notes: .paragraphs(
            """
            A new `server` removes all settings except `backend`, `appId`, `mailDir`, `mailpit`, `caCert` and those of \
            Facebook. A `backend` of another kind removes the same settings among those listed after `allowHttp`.
            """),
        arguments: [
            .positional({ $0.profile = $1 }, "NAME", help: "Profile name.").completed(by: .profiles),
            .optionalPositional({ $0.key = $1 }, "KEY", help: "Setting, see below.").completed(by: .profileSettings),
            .optionalPositional(
                { $0.value = $1 }, "VALUE",
                help: "New value; an empty value removes a setting listed after `allowHttp`."),
            .option({ $0.unset = $1 }, "unset", value: "KEY", help: "Remove the setting.")
                .completed(by: .profileSettings),
        ],
        rules: [.exclusive("unset", "KEY")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let name = options.profile
        let key = options.unset ?? options.key
        guard let value = options.unset == nil ? options.value : "" else {
            throw AuthError(.usage, "missing argument \(key.isEmpty ? "KEY" : "VALUE")")
        }
        let ownChange = try ProfileKey(word: key).map { key throws(AuthError) in
            options.unset == nil || key == .backend
                ? try ProfileChange(key, value, in: context) : ProfileChange(unset: key, in: context)
        }
        var unusable: String?
        var removed: [String] = []
        let output = try context.changeProfile(name, "changed profile '\(name)'") { configuration throws(AuthError) in
            var profile = configuration[name]
            if name == Profile.defaultName { profile = profile ?? Profile(name: name, settings: [:]) }
            guard var profile else { throw AuthError(unknownProfile: Setting(name, from: .builtIn), in: configuration) }
            // Read the profile first, because its backend decides which backend settings exist.
            let change = if let ownChange { ownChange } else { try change(key, value, of: profile, context) }
            removed = try change.apply(to: &profile)
            configuration.put(profile)
            unusable = problem(of: name, in: configuration, context)
        }
        if !removed.isEmpty {
            context.events.inform(
                "removed settings of the old server: \(removed.map { "'\($0)'" }.joined(separator: ", "))")
        }
        // Only a warning: the next `profile set` may make the profile complete.
        if let unusable { context.events.warn("profile '\(name)' is incomplete: \(unusable)") }
        return output
    }

    private static func problem(of name: String, in configuration: Configuration, _ context: Context) -> String? {
        do throws(AuthError) {
            let settings = try context.settings(of: name, alone: configuration)
            if let url = settings.serverSettings[BackendSetting.mailpit.key] {
                let isAllowed = settings.profileAllowsHTTP
                _ = try context.mailpit(
                    Setting(url, from: .profile(name)), to: nil, within: .zero, isAllowed: isAllowed)
            }
            return nil
        } catch {
            return error.message
        }
    }

    /// A change to a setting of the profile's backend.
    private static func change(
        _ key: String, _ value: String, of profile: Profile, _ context: Context
    ) throws(AuthError) -> ProfileChange {
        let backends = context.backends
        let word = profile.text(.backend) ?? backends[0].kind
        let backend = try context.resolver.descriptor(word, from: .profile(profile.name))
        if let setting = backend.settings.named(key) {
            return try ProfileChange(setting, value, in: context)
        }
        let owners = backends.filter { $0.settings.named(key) != nil }.map { "'\($0.kind)'" }
        let problem =
            owners.isEmpty
            ? "unknown setting '\(key)'"
            : "setting '\(key)' is only for backend \(owners.joined(separator: " or ")); "
                + "profile '\(profile.name)' uses '\(backend.kind)'"
        let known = ProfileKey.words + backend.settings.map(\.placeholder)
        let guess = owners.isEmpty ? Suggestions.question(for: key, among: known) : nil
        throw AuthError(
            .usage, problem,
            nextSteps: [guess, "use one of \(known.joined(separator: ", "))"].compactMap { $0.map { NextStep($0) } })
    }

    private static func rows(_ backends: BackendKinds) -> [HelpRow] {
        let shared = backends.sharedSettings
        let own = backends.settings.filter { !shared.contains($0) }.map { setting in
            setting.helpRow(of: backends.filter { $0.settings.contains { $0.key == setting.key } }.map(\.kind))
        }
        return [
            HelpRow("backend", "Kind of server."),
            HelpRow("server", "Base URL of the server."),
            HelpRow("appId", "Application id."),
            HelpRow("clientKeyFile", "File with the client key to save."),
            HelpRow("allowHttp", "Allow plain http: true or false."),
        ] + shared.map { $0.helpRow() } + own
    }
}

extension BackendSetting {
    /// - Parameter kinds: the backends with this setting; empty if all backends have it.
    fileprivate func helpRow(of kinds: [String] = []) -> HelpRow {
        let phrase =
            kinds.isEmpty
            ? summary.prefix(1).uppercased() + summary.dropFirst()
            : kinds.map { "`\($0)`" }.joined(separator: ", ") + ": \(summary)"
        let hidden = standard.flatMap { summary.holds("`\($0)`") ? nil : $0 }
        return HelpRow(placeholder, "\(phrase)." + (hidden.map { " Default: `\($0)`." } ?? ""))
    }
}
