package import AuthModel

/// The effective settings. Each value is from an option, else the environment, else the profile, else the default.
package struct Settings: Sendable, Equatable {
    package let profile: Setting<String>
    /// The session name and its origin; `nil` for the profile's own session.
    package var sessionName: Setting<String>?
    package let backend: Setting<BackendDescriptor>
    package let connection: Connection
    package var serverOrigin = Origin.builtIn
    /// The client key, which a server may require from applications; `nil` if it is not set.
    package var clientKey: Setting<ClientKey>?
    /// Further settings for the server, by `BackendSetting.key`.
    package var serverSettings: [String: String] = [:]
    /// Whether AUTHCTL_SETTINGS is set, but belongs to another connection or profile.
    package var ignoresHandedSettings = false
    /// Whether requests to another machine are unencrypted, with the user's permission.
    package var isExposed = false
    /// Whether the settings of the profile are for this server.
    package var usesProfile = true
    /// Whether the profile allows plain HTTP.
    package var profileAllowsHTTP = false
    /// The name that selected the backend; may be an alias.
    package var backendWord: String?

    /// The name of the backend for messages.
    package var backendName: String { backendWord ?? connection.backend }

    /// Whether the server is the one that all users of this kind of backend share.
    package var isForSharedServer: Bool { backend.value.usualServer.map { connection.server == $0 } ?? false }

    /// Whether the server is an emulator of the server that all users of this kind of backend share.
    package var isForEmulator: Bool { backend.value.usualServer.map { connection.server != $0 } ?? false }

    package var sessionKey: SessionKey {
        SessionKey(profile: profile.value, name: sessionName?.value, connection: connection)
    }

    /// Returns the setting `apiURL`, the base URL for `authctl api`, in normal form; `nil` if it is not set.
    ///
    /// - Throws: `AuthError` `usage` if the value is invalid.
    package func apiURL() throws(AuthError) -> String? {
        let setting = BackendSetting.apiURL
        guard let text = serverSettings[setting.key] else { return nil }
        // `SettingsResolver` has validated values from a profile, so an invalid value is from the environment.
        try setting.require(Setting(text, from: .environment(setting.variable ?? "")))
        return (try? ServerURL(text))?.text
    }
}

package enum ClientKey: Sendable, Equatable {
    case text(Secret)
    case file(String)
}

/// A value with its origin, so that messages can name the origin.
package struct Setting<Value: Sendable>: Sendable {
    package let value: Value
    package let origin: Origin

    package init(_ value: Value, from origin: Origin) {
        self.value = value
        self.origin = origin
    }
}

extension Setting: Equatable where Value: Equatable {}

package enum Origin: Sendable, Equatable {
    case option(String)
    case environment(String)
    case profile(String)
    /// The current profile, set by `profile use`.
    case configuration
    case builtIn

    /// The name of the origin in a message, such as `AUTHCTL_BACKEND`; `nil` for a default.
    package var name: String? {
        switch self {
        case .option(let name), .environment(let name): name
        case .profile(let name): "profile '\(name)'"
        case .configuration: "'authctl profile use'"
        case .builtIn: nil
        }
    }

    /// The origin after a value in a message, such as ` (from AUTHCTL_BACKEND)`; empty for a default.
    package var clause: String { name.map { " (from \($0))" } ?? "" }
}

extension Connection {
    /// The name in messages, such as `'https://example.org/parse' (backend 'parse', application 'shop')`.
    package var name: String {
        guard let server else { return "local accounts" }
        return "'\(server)' (backend '\(backend)'" + (appID.map { ", application '\($0)'" } ?? "") + ")"
    }

    package var options: [String] {
        let isExposed = (try? server.map(ServerURL.init))?.map { !$0.isSecure && !$0.isLoopback } ?? false
        return ["--backend", backend] + (server.map { ["--server", $0] } ?? [])
            + (appID.map { ["--app-id", $0] } ?? []) + (isExposed ? ["--allow-http"] : [])
    }
}
