package import AuthModel
package import Platform

package struct SettingsResolver {
    package struct Options: Sendable, Equatable {
        package var profile: String?
        /// The session name; empty for the profile's own session.
        package var sessionName: String?
        package var backend: String?
        package var server: String?
        package var appID: String?
        package var clientKeyFile: String?
        package var allowsHTTP = false

        package static let none = Options()
    }

    package let options: Options
    package let environment: Environment
    /// The known kinds of backend. The first is the default.
    package let backends: BackendKinds

    package init(options: Options, environment: Environment, backends: BackendKinds) {
        self.options = options
        self.environment = environment
        self.backends = backends
    }

    package func settings(in configuration: Configuration) throws(AuthError) -> Settings {
        let name = try profileName(in: configuration)
        let sessionName = try sessionName(of: name.value, in: configuration)
        let profile = try profile(name, in: configuration)
        let backend = try backend(of: profile)
        guard backend.value.descriptor.has(.takesServer) else {
            try refuseStrayServer(backend)
            let ownBackend = profileIsFor(backend.value.descriptor, profile)
            let settings = Settings(
                profile: name, sessionName: sessionName, backend: backend.map(\.descriptor),
                connection: Connection(backend: backend.value.kind), usesProfile: ownBackend,
                profileAllowsHTTP: ownBackend && profile.isOn(.allowsHTTP))
            return try addingServerSettings(to: settings, of: ownBackend ? profile : nil)
        }
        let server = try server(of: profile, backend)
        let url = try ServerURL(server.map(backend.value.descriptor.url(named:)))
        let isExposed = !url.isSecure && !url.isLoopback
        // The profile's client key, server settings and `allowHttp` apply only to the profile's own server.
        let ownServer = server.origin == .profile(profile.name) || isServer(url, of: profile, backend)
        let profileAllowsHTTP = ownServer && profile.isOn(.allowsHTTP)
        let allowsHTTP = options.allowsHTTP || environment.isOn("AUTHCTL_ALLOW_HTTP")
        if isExposed, !allowsHTTP, !profileAllowsHTTP { throw .plainHTTP(url, server.origin) }
        let settings = Settings(
            profile: name, sessionName: sessionName, backend: backend.map(\.descriptor),
            connection: Connection(
                backend: backend.value.kind, server: url.text, appID: try appID(of: profile, backend.value.descriptor)),
            serverOrigin: server.origin,
            clientKey: backend.value.descriptor.knowsClientKeys ? clientKey(of: ownServer ? profile : nil) : nil,
            isExposed: isExposed, usesProfile: ownServer, profileAllowsHTTP: profileAllowsHTTP,
            backendWord: backend.value.word)
        return try addingServerSettings(to: settings, of: ownServer ? profile : nil)
    }

    package func descriptor(_ word: String, from origin: Origin) throws(AuthError) -> BackendDescriptor {
        if let descriptor = backends.meant(by: word) { return descriptor }
        let known = backends.flatMap(\.words).map { "'\($0)'" }.joined(separator: ", ")
        throw AuthError(.usage, "unknown backend '\(word)'\(origin.clause)", next: "use one of \(known)")
    }

    /// Whether an option or variable overrides the profile's kind of backend.
    package var namesBackend: Bool {
        options.backend != nil || environment["AUTHCTL_BACKEND"] != nil
    }

    /// The name of the selected profile, which may not exist.
    package func profileName(in configuration: Configuration) throws(AuthError) -> Setting<String> {
        let name =
            given(options.profile, "--profile", "AUTHCTL_PROFILE") ?? configuration.current.map {
                Setting($0, from: .configuration)
            }
            ?? Setting(Profile.defaultName, from: .builtIn)
        try Profile.requireName(name)
        return name
    }

    /// The session name; `nil` for the profile's own session.
    private func sessionName(
        of profile: String, in configuration: Configuration
    ) throws(AuthError) -> Setting<String>? {
        let (value, file) = ("AUTHCTL_TOKEN", "AUTHCTL_TOKEN_FILE")
        let token = environment.givenValue(value) != nil ? value : environment[file] != nil ? file : nil
        let remembered = token == nil && configuration.current == profile ? configuration.currentUser : nil
        let name =
            given(options.sessionName, "--as", "AUTHCTL_AS") ?? remembered.map { Setting($0, from: .configuration) }
        guard let name, !name.value.isEmpty else { return nil }
        guard SessionKey.isName(name.value) else {
            throw AuthError(
                .usage, "'\(name.value)'\(name.origin.clause) is not a valid session name",
                next: """
                    use at most 64 ASCII letters, digits, '.', '_', '-', '@' and '+', not starting with '.' or '-', and \
                    neither me nor anyone
                    """)
        }
        guard options.sessionName == nil else { return name }
        // The option --as overrides AUTHCTL_AS and the token variables. If --as is missing, AUTHCTL_AS conflicts with a
        // token variable.
        if let token {
            throw AuthError(
                .usage, "variables AUTHCTL_AS and \(token) are mutually exclusive",
                nextSteps: ["unset one of them", "to use the saved session, add --as \(name.value)"])
        }
        return name
    }

    private func profile(_ name: Setting<String>, in configuration: Configuration) throws(AuthError) -> Profile {
        if let profile = configuration[name.value] { return profile }
        if name.value == Profile.defaultName { return .builtIn }
        throw .unknownProfile(name)
    }

    /// Returns the value of the option, else of the variable; `nil` if neither is set.
    private func given(_ option: String?, _ name: String, _ variable: String) -> Setting<String>? {
        if let option { return Setting(option, from: .option(name)) }
        return environment[variable].map { Setting($0, from: .environment(variable)) }
    }
}

extension SettingsResolver {
    /// A kind of backend and the name that selected it, which may be an alias.
    private struct ChosenBackend {
        let descriptor: BackendDescriptor
        let word: String

        var kind: String { descriptor.kind }
        var server: String? { descriptor.server(meantBy: word) }
    }

    private func backend(of profile: Profile) throws(AuthError) -> Setting<ChosenBackend> {
        let word =
            given(options.backend, "--backend", "AUTHCTL_BACKEND")
            ?? profile.text(.backend).map { Setting($0, from: .profile(profile.name)) }
            ?? emulatedBackend(of: profile) ?? Setting(backends[0].kind, from: .builtIn)
        let descriptor = try descriptor(word.value, from: word.origin)
        return Setting(ChosenBackend(descriptor: descriptor, word: word.value), from: word.origin)
    }

    /// The kind of the emulator that a variable of the server's own tools names, if nothing else names a connection.
    private func emulatedBackend(of profile: Profile) -> Setting<String>? {
        let variable = BackendDescriptor.firebaseEmulator
        guard environment[variable] != nil, profile.name == Profile.defaultName, profile.settings.isEmpty,
            options.profile == nil, options.server == nil, environment["AUTHCTL_PROFILE"] == nil,
            environment["AUTHCTL_SERVER"] == nil
        else { return nil }
        return backends.first { $0.emulatorVariable == variable }.map { Setting($0.kind, from: .environment(variable)) }
    }

    /// Returns the server. The profile's server is used only if the profile is for the same kind of backend.
    private func server(of profile: Profile, _ backend: Setting<ChosenBackend>) throws(AuthError) -> Setting<String> {
        if let server = given(options.server, "--server", "AUTHCTL_SERVER") { return server }
        if let emulator = try emulator(of: profile, backend.value.descriptor) { return emulator }
        let ofProfile = profileIsFor(backend.value.descriptor, profile) ? serverNamed(by: profile, backend) : nil
        let ofWord = backend.value.server.map { Setting($0, from: backend.origin) }
        let ofProfileSetting = ofProfile.map { Setting($0, from: .profile(profile.name)) }
        // The server of a backend alias overrides the profile's server, unless the alias is from the profile too.
        let isProfilesWord = backend.origin == .profile(profile.name)
        if let server = isProfilesWord ? ofProfileSetting ?? ofWord : ofWord ?? ofProfileSetting { return server }
        throw AuthError(
            .usage, "backend '\(backend.value.word)'\(backend.origin.clause) requires a server",
            nextSteps: [
                "set it with --server URL or AUTHCTL_SERVER",
                NextStep(
                    "or save it in a profile",
                    run: ["profile", "add", "NAME", "--backend", backend.value.word, "--server", "URL"]
                        + (backend.value.descriptor.has(.takesApplication) ? ["--app-id", "ID"] : [])),
            ])
    }

    /// The emulator that the server's own tools use, unless the profile has a server.
    private func emulator(of profile: Profile, _ backend: BackendDescriptor) throws(AuthError) -> Setting<String>? {
        guard let variable = backend.emulatorVariable, let host = environment[variable],
            !profileIsFor(backend, profile) || profile.text(.server) == nil
        else { return nil }
        guard !host.utf8.contains(UInt8(ascii: "/")) else {
            throw AuthError(
                .usage, "\(variable) is '\(ServerURL.masked(host))' instead of HOST:PORT",
                next: "set it to a value such as 127.0.0.1:9099, without http://")
        }
        return Setting("http://\(host)", from: .environment(variable))
    }

    private func appID(of profile: Profile, _ backend: BackendDescriptor) throws(AuthError) -> String? {
        guard backend.knowsApplications else { return nil }
        let ofProfile = profileIsFor(backend, profile) ? profile.text(.appID) : nil
        guard
            let id = given(options.appID, "--app-id", "AUTHCTL_APP_ID")
                ?? ofProfile.map({ Setting($0, from: .profile(profile.name)) })
        else {
            guard backend.has(.takesApplication) else { return nil }
            throw AuthError(
                .usage, "backend '\(backend.kind)' requires an application id",
                nextSteps: ["set it with --app-id ID or AUTHCTL_APP_ID"]
                    + (profileIsFor(backend, profile)
                        ? [NextStep("or save it in the profile", run: ["profile", "set", profile.name, "appId", "ID"])]
                        : []))
        }
        try Profile.requireAppID(id)
        return id.value
    }

    private func clientKey(of profile: Profile?) -> Setting<ClientKey>? {
        if let given = givenClientKey { return given }
        guard let profile, let text = profile.text(.clientKey) else { return nil }
        return Setting(.text(Secret(text)), from: .profile(profile.name))
    }

    package var givenClientKey: Setting<ClientKey>? {
        if let path = options.clientKeyFile { return Setting(.file(path), from: .option("--client-key-file")) }
        if let text = environment["AUTHCTL_CLIENT_KEY"] {
            return Setting(.text(Secret(text)), from: .environment("AUTHCTL_CLIENT_KEY"))
        }
        if let path = environment["AUTHCTL_CLIENT_KEY_FILE"] {
            return Setting(.file(path), from: .environment("AUTHCTL_CLIENT_KEY_FILE"))
        }
        return nil
    }

    /// Adds the settings in AUTHCTL_SETTINGS or, without them, or if an option selects the profile, the profile's own.
    private func addingServerSettings(to given: Settings, of profile: Profile?) throws(AuthError) -> Settings {
        var (settings, backend) = (given, given.backend.value)
        settings.serverSettings = try profile?.values(of: backend.settings) ?? [:]
        if let text = environment[HandedSettings.variable] {
            let handed = try HandedSettings.values(in: text, of: backend, at: given.connection.server)
            settings.ignoresHandedSettings = handed != settings.serverSettings
            if let handed, options.profile == nil || profile == nil {
                (settings.serverSettings, settings.ignoresHandedSettings) = (handed, false)
            }
        }
        for setting in backend.settings {
            // The value of a variable is validated when it is used, because most commands do not need it.
            guard let variable = setting.variable, let value = environment[variable] else { continue }
            settings.serverSettings[setting.key] = value
        }
        return settings
    }

    /// Whether `url` is the profile's server, even if it comes from a variable, as in a command that `authctl exec` runs.
    private func isServer(_ url: ServerURL, of profile: Profile, _ backend: Setting<ChosenBackend>) -> Bool {
        guard profileIsFor(backend.value.descriptor, profile), let own = serverNamed(by: profile, backend) else {
            return false
        }
        // `try?`: an invalid URL matches no server.
        return (try? ServerURL(backend.value.descriptor.url(named: own)))?.text == url.text
    }

    /// The profile's server, else the default server of its backend alias.
    private func serverNamed(by profile: Profile, _ backend: Setting<ChosenBackend>) -> String? {
        profile.text(.server) ?? profile.text(.backend).flatMap(backend.value.descriptor.server(meantBy:))
    }

    private func profileIsFor(_ backend: BackendDescriptor, _ profile: Profile) -> Bool {
        backend.words.contains(profile.text(.backend) ?? backends[0].kind)
    }

    /// Rejects an option that the backend cannot use, and such a variable unless a profile was chosen by name.
    package func refuseStrays(of settings: Settings) throws(AuthError) {
        let (backend, origin) = (settings.backend.value, settings.backend.origin)
        let isOfProfile =
            origin == .profile(settings.profile.value) || origin == .builtIn && settings.profile.origin != .builtIn
        let id = backend.knowsApplications ? nil : given(options.appID, "--app-id", "AUTHCTL_APP_ID")
        let key = backend.knowsClientKeys ? nil : givenClientKey
        for (what, origin) in [
            ("application id '\(id?.value ?? "")'", id?.origin), ("the client key", key?.origin),
        ] {
            guard let origin, let name = origin.name, !isOfProfile || origin == .option(name) else { continue }
            let undo = "\(origin == .option(name) ? "remove" : "unset") \(name)"
            throw AuthError(
                .usage, "\(what)\(origin.clause) cannot be used with backend '\(backend.kind)'",
                next: NextStep(
                    backend.has(.takesServer)
                        ? undo : "add its kind, such as --backend firebase; or \(undo) to use local accounts"))
        }
    }

    /// Rejects a server for local accounts, because a user who sets a server does not expect a local account.
    private func refuseStrayServer(_ backend: Setting<ChosenBackend>) throws(AuthError) {
        guard let server = given(options.server, "--server", "AUTHCTL_SERVER") else { return }
        let quoted = ServerURL.masked(server.value)
        let undo =
            server.origin == .option("--server") ? "remove --server" : "unset AUTHCTL_SERVER"
        throw AuthError(
            .usage, "server '\(quoted)'\(server.origin.clause) cannot be used with backend '\(backend.value.kind)'",
            next: NextStep("add its kind, such as --backend parse; or \(undo) to use local accounts"))
    }
}

extension Setting {
    fileprivate func map<Other>(_ transform: (Value) -> Other) -> Setting<Other> {
        Setting<Other>(transform(value), from: origin)
    }
}

extension ServerURL {
    package init(_ setting: Setting<String>) throws(AuthError) {
        do throws(Fault) {
            self = try ServerURL(setting.value)
        } catch {
            throw AuthError(
                .usage, "server '\(Self.masked(setting.value))'\(setting.origin.clause) \(error.problem)",
                next: NextStep(error.hint))
        }
    }
}

extension Profile {
    /// The profile `default`, used if the configuration does not contain it.
    package static let builtIn = Profile(name: defaultName, settings: [:])

    package static func requireName(_ name: Setting<String>) throws(AuthError) {
        guard isName(name.value) else {
            throw AuthError(
                .usage, "'\(name.value)'\(name.origin.clause) is not a valid profile name",
                next: "use at most 64 ASCII letters, digits, '.', '_' and '-', not starting with '.' or '-'")
        }
    }

    /// Requires visible ASCII, because the application id is sent in a header.
    package static func requireAppID(_ id: Setting<String>) throws(AuthError) {
        guard !id.value.isEmpty, id.value.isVisibleASCII else {
            throw AuthError(
                .usage, "'\(id.value)'\(id.origin.clause) is not a valid application id",
                next: "copy it from the settings of the application: letters, digits and punctuation, no spaces")
        }
    }
}

extension AuthError {
    package static func unknownProfile(_ name: Setting<String>, canBeAdded: Bool = true) -> AuthError {
        var steps = [NextStep("list the profiles", run: ["profile", "list"])]
        // A profile with an invalid name cannot be added.
        if canBeAdded, Profile.isName(name.value) {
            steps.append(NextStep("create it", run: ["profile", "add", name.value, "--backend", "local"]))
        }
        return AuthError(.unknownProfile, "unknown profile '\(name.value)'\(name.origin.clause)", nextSteps: steps)
    }

    package static func plainHTTP(_ url: ServerURL, _ origin: Origin) -> AuthError {
        AuthError(
            .plainHTTP, "server '\(url.text)'\(origin.clause) would receive passwords unencrypted",
            nextSteps: ["use an https URL", "to send passwords unencrypted anyway, add --allow-http"])
    }
}
