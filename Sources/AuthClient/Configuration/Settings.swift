package import AuthModel

/// What applies to this command: each value from the option, else the environment, else the profile, else built in.
package struct Settings: Sendable, Equatable {
    /// Which profile, and who chose it.
    package let profile: Setting<String>
    /// Which kind of backend, and who chose it.
    package let backend: Setting<BackendDescriptor>
    package let connection: Connection
    /// Who named the server, where there is one.
    package let serverOrigin: Origin
    /// The key that the server asks of applications, where one is known.
    package let clientKey: Setting<ClientKey>?
    /// What the profile says of its own server beside that, by `BackendSetting.key`.
    package let serverSettings: [String: String]
    /// Whether requests go unencrypted to another machine, as somebody allowed.
    package let isExposed: Bool

    package init(
        profile: Setting<String>, backend: Setting<BackendDescriptor>, connection: Connection,
        serverOrigin: Origin = .builtIn, clientKey: Setting<ClientKey>? = nil,
        serverSettings: [String: String] = [:], isExposed: Bool = false
    ) {
        self.profile = profile
        self.backend = backend
        self.connection = connection
        self.serverOrigin = serverOrigin
        self.clientKey = clientKey
        self.serverSettings = serverSettings
        self.isExposed = isExposed
    }
}

/// Where a client key is.
package enum ClientKey: Sendable, Equatable {
    case text(Secret)
    /// The path of a file that holds it.
    case file(String)
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

    /// What it is called in a message: `AUTHCTL_BACKEND`; `nil` for what is built in.
    package var name: String? {
        switch self {
        case .option(let name), .environment(let name): name
        case .profile(let name): "profile '\(name)'"
        case .configuration: "'authctl profile use'"
        case .builtIn: nil
        }
    }

    /// A clause behind the value in a message: ` (from AUTHCTL_BACKEND)`.
    package var clause: String { name.map { " (from \($0))" } ?? "" }
}
