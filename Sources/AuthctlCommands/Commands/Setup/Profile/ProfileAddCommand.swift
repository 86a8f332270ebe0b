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
    static let spec = declaration(
        discussion: """
            A profile can have one session for each `--as` name. Options such as `--server` select another connection, \
            which has separate sessions. Concurrent jobs must use different profiles or `--as` names.

            With `--server`, but with neither `--backend` nor `--from`, authctl detects the kind of server. It sends at \
            most 16 GET requests, without keys, tokens or cookies, to the server URL, the path above it and usual mount \
            paths of the same origin. authctl asks before it saves a different URL.

            On a terminal, authctl asks for a missing name, server, application id or required key.

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
            .optionalPositional(
                { $0.profile = $1 }, "NAME", help: "Profile name: ASCII letters, digits, `.`, `_` and `-`."),
            .option(
                { $0.template = $1 }, "from", value: "NAME",
                help: "Copy the settings of this profile; options override them."
            ).completed(by: .profiles),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        var options = options
        options.profile = try context.required(
            options.profile, "Profile name: ",
            or: AuthError(.usage, "missing argument NAME", next: "see 'authctl profile add --help'"))
        let name = options.profile
        try Profile.requireName(Setting(name, from: .builtIn))
        try requireNew(name, in: context.configuration().load())
        let found = try DetectedServer(context: context).completing(
            askingForServer(options, context), ofProfile: options)
        let change = try ProfileChange(
            options.template == nil ? askingForIDs(found.globals, context) : found.globals, in: context)
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

    /// The options, with the user's answers about the server.
    private static func askingForServer(_ options: Options, _ context: Context) -> GlobalOptions {
        var globals = context.globals
        guard options.template == nil, globals.server == nil else { return globals }
        let backend = globals.backend.flatMap { context.backends.meant(by: $0) }
        if globals.backend == nil, let url = context.ask("URL of the server, or Enter for local accounts: ") {
            if url.isEmpty { globals.backend = context.backends[0].kind } else { globals.server = url }
        } else if let backend, let word = globals.backend, backend.has(.takesServer),
            backend.server(meantBy: word) == nil
        {
            globals.server = context.ask("URL of the server: ").flatMap { $0.isEmpty ? nil : $0 }
        }
        return globals
    }

    /// The options, with the user's answers about the application and a required key.
    private static func askingForIDs(_ globals: GlobalOptions, _ context: Context) -> GlobalOptions {
        var globals = globals
        guard context.prompts.areAllowed, let word = globals.backend, let backend = context.backends.meant(by: word)
        else { return globals }
        if globals.appID == nil, backend.has(.takesApplication) {
            globals.appID = context.ask("Application id: ").flatMap { $0.isEmpty ? nil : $0 }
        }
        let server = globals.server ?? backend.server(meantBy: word) ?? ""
        if globals.clientKeyFile == nil, context.world.backends()[backend.kind]?.isService(server) == true,
            ["AUTHCTL_CLIENT_KEY", "AUTHCTL_CLIENT_KEY_FILE"].allSatisfy({ context.environment[$0] == nil })
        {
            // On a terminal, the prompt for the client key.
            globals.clientKeyFile = "-"
        }
        return globals
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
            throw AuthError(
                unknownProfile: Setting(template, from: .option("--from")), in: configuration, canBeAdded: false)
        }
        return [ProfileKey.backend.rawValue: .string(context.backends[0].kind)]
    }
}
