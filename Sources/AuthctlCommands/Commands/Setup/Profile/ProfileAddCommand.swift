import AuthBackends
import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum ProfileAddCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
        var template: String?
    }

    static let name = "profile add"
    static let summary = "Create a profile: a named connection"
    static let usesProfile = false
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        discussion: """
            A profile can have one session for each `--as` name. Options such as `--server` select another connection, \
            which has separate sessions. Concurrent jobs must use different profiles or `--as` names.

            With `--server`, but with neither `--backend` nor `--from`, authctl detects the kind of server. It sends at \
            most 16 GET requests, without keys, tokens or cookies, to the server URL, the path above it and usual mount \
            paths of the same origin. authctl asks before it saves a different URL.

            `authctl help backends` lists the server versions that authctl was tried with.
            """,
        examples: [
            Example("authctl profile add ci --backend local", "Create a second profile for local accounts."),
            Example(
                "authctl profile add live --backend parse --server https://example.org/parse --app-id shop",
                "Create a profile for a Parse Server."),
            Example("authctl profile add site --server https://example.org", "Detect the backend of a server."),
            Example("authctl profile add ci2 --from ci", "Copy a profile."),
        ],
        exitCodes: [0, 2, 8, 12],
        arguments: [
            .positional({ $0.profile = $1 }, "NAME", help: "Profile name: ASCII letters, digits, `.`, `_` and `-`."),
            .option(
                { $0.template = $1 }, "from", value: "NAME",
                help: "Copy the settings of this profile; options override them."
            ).completed(by: .profiles),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let name = options.profile
        try Profile.requireName(Setting(name, from: .builtIn))
        try requireNew(name, in: context.configuration().load())
        let found = try DetectedServer(context: context).completing(context.globals, ofProfile: options)
        let change = try ProfileChange(found.globals, in: context)
        return try context.changeProfile(name, "added profile '\(name)'") { configuration throws(AuthError) in
            try requireNew(name, in: configuration)
            var profile = Profile(name: name, settings: try settings(of: options.template, in: configuration, context))
            try change.apply(to: &profile)
            for (key, value) in found.settings { profile.settings[key] = .string(value) }
            guard profile.text(.backend) != nil else {
                throw AuthError(.usage, "profile '\(name)' has no backend", next: "add --backend KIND or --from NAME")
            }
            configuration.put(profile)
            try requireComplete(profile, in: configuration, context)
        }
    }

    private static func requireNew(_ name: String, in configuration: Configuration) throws(AuthError) {
        guard configuration[name] == nil else {
            throw AuthError(
                .usage, "profile '\(name)' already exists",
                next: NextStep("change it", run: ["profile", "set", name, "KEY", "VALUE"]))
        }
        // On a file system that ignores case, the session files of both profiles would have the same name.
        let others = configuration.profiles.map(\.name) + [Profile.defaultName]
        if let other = others.first(where: { $0 != name && $0.lowercased() == name.lowercased() }) {
            throw AuthError(
                .usage, "profile '\(name)' differs only in case from profile '\(other)'",
                next: "use another name")
        }
    }

    /// Rejects an incomplete profile, which would fail at its first use. Also rejects a server for the backend `local`.
    private static func requireComplete(
        _ profile: Profile, in configuration: Configuration, _ context: Context
    ) throws(AuthError) {
        let settings: Settings
        do throws(AuthError) {
            settings = try context.settings(of: profile.name, alone: configuration)
        } catch {
            var error = error
            // Environment variables are not saved in a profile, so the hint names only options.
            if let missing = missing(in: profile, context) {
                error.nextSteps = ["add \(missing)"]
            }
            throw error
        }
        guard !settings.backend.value.has(.takesServer), let server = profile.text(.server) else { return }
        throw AuthError(
            .usage, "server '\(server)' cannot be used with backend '\(settings.backend.value.kind)'",
            next: "remove --server, or set the server's kind with --backend")
    }

    /// The options for the settings that the backend requires and the profile lacks.
    private static func missing(in profile: Profile, _ context: Context) -> String? {
        guard let word = profile.text(.backend), let backend = context.backends.meant(by: word) else { return nil }
        let hasServer = profile.text(.server) != nil || backend.server(meantBy: word) != nil
        let options = [
            backend.has(.takesServer) && !hasServer ? "--server URL" : nil,
            backend.has(.takesApplication) && profile.text(.appID) == nil ? "--app-id ID" : nil,
        ].compactMap { $0 }
        return options.isEmpty ? nil : options.joined(separator: " and ")
    }

    private static func settings(
        of template: String?, in configuration: Configuration, _ context: Context
    ) throws(AuthError) -> JSONObject {
        guard let template else { return [:] }
        if let profile = configuration[template] { return profile.settings }
        guard template == Profile.defaultName else {
            throw .unknownProfile(Setting(template, from: .option("--from")))
        }
        return [ProfileKey.backend.rawValue: .string(context.backends[0].kind)]
    }
}
