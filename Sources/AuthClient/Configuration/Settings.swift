package import AuthModel
package import Platform

/// What applies to this command: each value from the option, else the environment, else the profile, else built in.
package struct Settings: Sendable, Equatable {
    /// Which profile, and who chose it.
    package let profile: Setting<String>
    /// Which kind of backend, and who chose it.
    package let backend: Setting<BackendDescriptor>
    package let connection: Connection
    /// A session given by the environment, to be used instead of the stored one.
    package let environmentToken: Setting<Secret>?

    package init(
        profile: Setting<String>, backend: Setting<BackendDescriptor>, connection: Connection,
        environmentToken: Setting<Secret>? = nil
    ) {
        self.profile = profile
        self.backend = backend
        self.connection = connection
        self.environmentToken = environmentToken
    }
}

/// A value that knows where it came from, so that a message about it can say so.
package struct Setting<Value: Sendable>: Sendable {
    package let value: Value
    package let origin: Origin

    package init(_ value: Value, from origin: Origin) {
        self.value = value
        self.origin = origin
    }
}

extension Setting: Equatable where Value: Equatable {}

/// Who set a value.
package enum Origin: Sendable, Equatable {
    case option(String)
    case environment(String)
    case profile(String)
    /// The configuration file, outside any profile.
    case configuration
    case builtIn

    /// A clause behind the value in a message: ` (from AUTHCTL_BACKEND)`.
    package var clause: String {
        switch self {
        case .option(let name), .environment(let name): " (from \(name))"
        case .profile(let name): " (from profile '\(name)')"
        case .configuration: " (from 'authctl profile use')"
        case .builtIn: ""
        }
    }
}

/// Works out the settings.
package struct SettingsResolver {
    /// What was given as options.
    package struct Options: Sendable, Equatable {
        package var profile: String?
        package var backend: String?

        package init(profile: String? = nil, backend: String? = nil) {
            self.profile = profile
            self.backend = backend
        }
    }

    package let options: Options
    package let environment: Environment
    /// The kinds of backend there are; the first is the one with nothing configured.
    package let backends: [BackendDescriptor]

    package init(options: Options, environment: Environment, backends: [BackendDescriptor]) {
        self.options = options
        self.environment = environment
        self.backends = backends
    }

    /// - Parameter token: a session from the environment.
    package func settings(
        in configuration: Configuration, token: Setting<Secret>? = nil
    ) throws(AuthError) -> Settings {
        let name = try profileName(in: configuration)
        let profile = try profile(name, in: configuration)
        let backend = try backend(of: profile)
        try refuseStrayServer(backend)
        if let token, backend.origin == .builtIn { throw .unboundToken(token.origin) }
        return Settings(
            profile: name, backend: backend,
            connection: connection(profile, backend.value),
            environmentToken: token)
    }

    /// The kind of backend called so.
    package func descriptor(_ kind: String, from origin: Origin) throws(AuthError) -> BackendDescriptor {
        if let descriptor = backends.first(where: { $0.kind == kind }) { return descriptor }
        let known = backends.map { "'\($0.kind)'" }.joined(separator: ", ")
        throw AuthError(
            .usage, "unknown backend '\(kind)'\(origin.clause)",
            hint: "this authctl knows \(known)")
    }

    /// Whether anything but a profile says where to connect.
    package var namesBackend: Bool {
        options.backend != nil || environment["AUTHCTL_BACKEND"] != nil
    }

    /// Which profile is meant, whether or not there is one of that name.
    package func profileName(in configuration: Configuration) throws(AuthError) -> Setting<String> {
        let name: Setting<String> =
            if let name = options.profile {
                Setting(name, from: .option("--profile"))
            } else if let name = environment["AUTHCTL_PROFILE"] {
                Setting(name, from: .environment("AUTHCTL_PROFILE"))
            } else if let name = configuration.current {
                Setting(name, from: .configuration)
            } else {
                Setting(Profile.defaultName, from: .builtIn)
            }
        try Profile.requireName(name)
        return name
    }

    private func profile(
        _ name: Setting<String>, in configuration: Configuration
    ) throws(AuthError) -> Profile {
        if let profile = configuration[name.value] { return profile }
        if name.value == Profile.defaultName { return .builtIn }
        throw .unknownProfile(name)
    }

    private func backend(of profile: Profile) throws(AuthError) -> Setting<BackendDescriptor> {
        if let kind = options.backend { return try found(kind, .option("--backend")) }
        if let kind = environment["AUTHCTL_BACKEND"] { return try found(kind, .environment("AUTHCTL_BACKEND")) }
        if let kind = profile.text(.backend) { return try found(kind, .profile(profile.name)) }
        return Setting(backends[0], from: .builtIn)
    }

    private func connection(_ profile: Profile, _ backend: BackendDescriptor) -> Connection {
        guard backend.takesServer else { return Connection(backend: backend.kind) }
        return Connection(backend: backend.kind, server: profile.text(.server), appID: profile.text(.appID))
    }

    private func found(_ kind: String, _ origin: Origin) throws(AuthError) -> Setting<BackendDescriptor> {
        Setting(try descriptor(kind, from: origin), from: origin)
    }

    /// The embedded accounts have no server: who names one means another backend, and must not get an account here.
    private func refuseStrayServer(_ backend: Setting<BackendDescriptor>) throws(AuthError) {
        guard !backend.value.takesServer, let server = environment["AUTHCTL_SERVER"] else { return }
        throw AuthError(
            .usage, "server '\(server)' (from AUTHCTL_SERVER) does not go with backend '\(backend.value.kind)'",
            hint: "unset AUTHCTL_SERVER to use the accounts on this machine")
    }
}

extension Profile {
    /// The profile `default` as long as nothing is configured for it.
    static let builtIn = Profile(name: defaultName, settings: [:])

    package static func requireName(_ name: Setting<String>) throws(AuthError) {
        guard isName(name.value) else {
            throw AuthError(
                .usage, "'\(name.value)'\(name.origin.clause) cannot be the name of a profile",
                hint: "use letters, digits, '.', '_' and '-', at most 64, not beginning with '.' or '-'")
        }
    }
}

extension AuthError {
    package static func unknownProfile(_ name: Setting<String>) -> AuthError {
        // What can be no name is not put into a command to copy: a shell would read it otherwise.
        let making = Profile.isName(name.value) ? ", or make it: authctl profile add \(name.value) --backend local" : ""
        return AuthError(
            .unknownProfile, "there is no profile '\(name.value)'\(name.origin.clause)",
            hint: "see 'authctl profile list'\(making)")
    }

    /// A token alone does not say which server it is for.
    static func unboundToken(_ origin: Origin) -> AuthError {
        AuthError(
            .usage, "the session\(origin.clause) is for a server that nothing names",
            hint: "name it with --backend or AUTHCTL_BACKEND, or choose a profile that does")
    }
}
