import AuthBackends
import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum ProfileAddCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
        var template: String?
        var document: String?
        var appFile: String?
        var isMadeCurrent: Bool?

        var copies: Bool { template != nil || document != nil || appFile != nil }
    }

    static let name = "profile add"
    static let summary = "Create a profile: a named connection"
    static let usesProfile = false
    static let spec = declaration(
        discussion: """
            A profile can have one session for each `--as` name. Options such as `--server` select another connection, \
            which has separate sessions. Concurrent jobs must use different profiles or `--as` names. The new profile \
            becomes the current one if that was `default` without settings and sessions.

            With `--server`, but without a kind or a copy, authctl detects the kind of server. It sends at most 16 GET \
            requests, without keys, tokens or cookies, to the server URL, the path above it and usual mount paths of the \
            same origin. authctl asks before it saves a different URL.
            """,
        examples: [
            Example("authctl profile add ci --backend local", "Create a second profile for local accounts."),
            Example(
                "authctl profile add live --backend parse --server https://example.org/parse --app-id shop",
                "Create a profile for a Parse Server."),
            Example("authctl profile add site --server https://example.org", "Detect the backend of a server."),
            Example("authctl profile add ci2 --from ci", "Copy a profile."),
            Example("authctl profile add shop --env-file .env.local", "Use the connection of an app."),
        ],
        exitCodes: [0, 2, 8, 12],
        notes: .paragraphs(
            """
            To add the same connection again changes nothing. On a terminal, authctl asks for a missing name, server, \
            application id or required key. `authctl help backends` lists the server versions that authctl was tried \
            with.

            `--env-file` reads SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, SUPABASE_ANON_KEY, PARSE_SERVER_URL, \
            PARSE_APP_ID, POCKETBASE_URL, FIREBASE_PROJECT_ID and FIREBASE_API_KEY, also with a prefix such as \
            NEXT_PUBLIC_ or VITE_, and `projectId` and `apiKey` of Firebase's web configuration. It reads no secret \
            key.
            """),
        arguments: [
            .optionalPositional(
                { $0.profile = $1 }, "NAME", help: "Profile name: ASCII letters, digits, `.`, `_` and `-`."),
            .option(
                { $0.template = $1 }, "from", value: "NAME",
                help: "Copy the settings of this profile; options override them."
            ).completed(by: .profiles),
            .option(
                { $0.document = $1 }, "from-file", value: "FILE",
                help: "Add the connection that `profile export` printed."),
            .option(
                { $0.appFile = $1 }, "env-file", value: "FILE",
                help: "Read the connection from an app's `.env` or Firebase's configuration."),
            .flag({ $0.isMadeCurrent = $1 }, "use", help: "Make the profile the current one."),
            .flag({ $0.isMadeCurrent = $1 }, "no-use", sets: false, help: "Keep the current profile."),
        ],
        rules: [.exclusive("from", "from-file", "env-file"), .exclusive("use", "no-use")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        var options = options
        options.profile = try context.required(
            options.profile, "Profile name: ",
            or: AuthError(.usage, "missing argument NAME", next: "see 'authctl profile add --help'"))
        let name = options.profile
        try Profile.requireName(Setting(name, from: .builtIn))
        let before = try context.configuration().load()
        try requireNoTwin(of: name, in: before)
        let found: (globals: GlobalOptions, settings: [String: String])
        if let known = before[name] {
            found = (try repeating(options, known, context), [:])
        } else {
            let server = try DetectedServer(context: context).completing(
                askingForServer(options, context), ofProfile: options)
            found = (options.copies ? server.globals : askingForIDs(server.globals, context), server.settings)
        }
        let change = try ProfileChange(found.globals, in: context)
        let app = try options.appFile.map { path throws(AuthError) in
            let kind = try found.globals.backend.map { word throws(AuthError) in
                try context.resolver.descriptor(word, from: .option("--backend")).kind
            }
            return try AppFile(path, ofKind: kind, in: context)
        }
        var copied = try settings(options, app, in: before, context)
        // A key in an app's file without a URL is for the server of the options.
        if app != nil, copied[ProfileKey.server.rawValue] == nil, let server = found.globals.server {
            copied[ProfileKey.server.rawValue] = try ProfileKey.server.stored(
                Setting(server, from: .option("--server")), in: context)
        }
        var (isNew, isCurrent, inUse) = (true, false, "")
        var output = try context.changeProfile(name, "") { configuration throws(AuthError) in
            try requireNoTwin(of: name, in: configuration)
            var profile = configuration[name] ?? Profile(name: name, settings: [:])
            for member in copied.members { profile.settings[member.name] = member.value }
            try change.apply(to: &profile)
            for (key, value) in found.settings { profile.settings[key] = .string(value) }
            guard profile.text(.backend) != nil else {
                throw AuthError(.usage, "profile '\(name)' has no backend", next: "add --backend KIND or --from NAME")
            }
            isNew = configuration[name] == nil
            let isUnused = isNew ? try isDefaultUnused(in: configuration, context) : false
            if let known = configuration[name], known != profile {
                throw exists(known, otherThan: profile, keyFile: found.globals.clientKeyFile)
            }
            configuration.put(profile)
            if let app { app.note(copied, in: profile.settings) } else { noteLost(copied, profile, context) }
            try requireComplete(profile, in: configuration, context)
            if options.isMadeCurrent ?? isUnused { (configuration.current, configuration.currentUser) = (name, nil) }
            inUse = try context.resolver.profileName(in: configuration).value
            isCurrent = inUse == name
        }
        let message = isNew ? "added profile '\(name)'" : "profile '\(name)' is unchanged"
        output = ProfileOutput(
            item: output.item, message: message + (isCurrent ? "; it is the current profile" : ""),
            current: output.current, isNew: isNew)
        if !isCurrent, options.isMadeCurrent == nil {
            let isThere = inUse == Profile.defaultName || before[inUse] != nil
            context.events.note(
                isThere ? "the current profile is '\(inUse)'" : "profile '\(inUse)' does not exist",
                next: NextStep("to use '\(name)', add -p \(name), or", run: ["profile", "use", name]))
        }
        let variables = ConnectionVariables.ofConnection.filter { context.environment[$0] != nil }
        if isNew, !variables.isEmpty {
            context.events.note("the profile has no value of \(variables.joined(separator: ", "))")
        }
        return output
    }

    /// Names the copied settings that the profile does not get, because options name another server.
    private static func noteLost(_ copied: JSONObject, _ profile: Profile, _ context: Context) {
        let lost = copied.members.map(\.name).filter { profile.settings[$0] == nil }
        guard !lost.isEmpty else { return }
        let words = lost.map { ProfileKey(rawValue: $0)?.word ?? $0 }.quotedList(atMost: 20)
        context.events.note("did not copy \(words): the server is another one")
    }

    /// Whether the profile in use is the built-in one, and nobody has logged in with it.
    private static func isDefaultUnused(
        in configuration: Configuration, _ context: Context
    ) throws(AuthError) -> Bool {
        let inUse = try context.resolver.profileName(in: configuration)
        guard inUse.value == Profile.defaultName, [.builtIn, .configuration].contains(inUse.origin),
            configuration[Profile.defaultName] == nil
        else { return false }
        return !(try context.sessions().profiles().contains(Profile.defaultName))
    }

    /// The options for a profile that exists: a request would only find its kind again.
    private static func repeating(
        _ options: Options, _ known: Profile, _ context: Context
    ) throws(AuthError) -> GlobalOptions {
        var globals = context.globals
        let given = [globals.backend, globals.server, globals.appID, globals.clientKeyFile].compactMap(\.self)
        guard options.copies || !given.isEmpty || globals.allowsHTTP else { throw exists(known) }
        if globals.backend == nil, !options.copies { globals.backend = known.text(.backend) }
        return globals
    }

    /// The options, with the user's answers about the server.
    private static func askingForServer(_ options: Options, _ context: Context) -> GlobalOptions {
        var globals = context.globals
        guard !options.copies, globals.server == nil else { return globals }
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

    /// On a file system that ignores case, the session files of both profiles would have the same name.
    private static func requireNoTwin(of name: String, in configuration: Configuration) throws(AuthError) {
        let others = configuration.profiles.map(\.name) + [Profile.defaultName]
        if let other = others.first(where: { $0 != name && $0.lowercased() == name.lowercased() }) {
            throw AuthError(
                .usage, "profile '\(name)' differs only in case from profile '\(other)'",
                next: "use another name")
        }
    }

    /// The error for a profile that exists with other values.
    ///
    /// - Parameter wanted: the profile as it would be; `nil` if the command names no value.
    private static func exists(
        _ known: Profile, otherThan wanted: Profile? = nil, keyFile: String? = nil
    ) -> AuthError {
        let differing = (wanted?.settings.members ?? []).filter { known.settings[$0.name] != $0.value }
        var steps = differing.map { member in
            // A path of a key file is known, the key is never shown.
            let isKey = member.name == ProfileKey.clientKey.rawValue
            let word = ProfileKey(rawValue: member.name)?.word ?? member.name
            let value = isKey ? keyFile ?? "-" : member.value.string ?? member.value.text
            return NextStep("to change it", run: ["profile", "set", known.name, word, value])
        }
        if steps.isEmpty { steps = [NextStep("change it", run: ["profile", "set", known.name, "KEY", "VALUE"])] }
        return AuthError(
            .usage, "profile '\(known.name)' already exists" + (wanted == nil ? "" : " with other values"),
            nextSteps: steps)
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
            // No profile has this name yet.
            error.message = error.message.replacing(Origin.profile(profile.name).clause, with: "")
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

    /// The settings that the profile starts with.
    private static func settings(
        _ options: Options, _ app: AppFile?, in configuration: Configuration, _ context: Context
    ) throws(AuthError) -> JSONObject {
        var settings: JSONObject = app?.settings ?? [:]
        if let path = options.document {
            settings = try ConnectionDocument.settings(in: path, context)
        } else if let template = options.template {
            if let profile = configuration[template] { return profile.settings }
            guard template == Profile.defaultName else {
                throw AuthError(
                    unknownProfile: Setting(template, from: .option("--from")), in: configuration, canBeAdded: false)
            }
            return [ProfileKey.backend.rawValue: .string(context.backends[0].kind)]
        }
        for key in [ProfileKey.server, .appID] {
            guard let text = settings[key.rawValue]?.string else { continue }
            settings[key.rawValue] = try key.stored(Setting(text, from: .builtIn), in: context)
        }
        return settings
    }
}
