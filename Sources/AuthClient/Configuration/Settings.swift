package import AuthModel

/// The settings in force. The precedence of each value: option, environment, profile, default.
package struct Settings: Sendable, Equatable {
    package let profile: Setting<String>
    /// The session name and its origin; `nil` for the profile's own session.
    package var sessionName: Setting<String>?
    package let backend: Setting<BackendDescriptor>
    package let connection: Connection
    package var serverOrigin = Origin.builtIn
    /// The key that the server requires of applications, if it is set.
    package var clientKey: Setting<ClientKey>?
    /// Further settings of the profile for its own server, by `BackendSetting.key`.
    package var serverSettings: [String: String] = [:]
    /// Whether requests go unencrypted to another machine, as the user allowed.
    package var isExposed = false
    /// The name that selected the backend; may be an alias.
    package var backendWord: String?

    /// The name of the backend for messages.
    package var backendName: String { backendWord ?? connection.backend }

    /// The base URL of the user's own requests in normal form, if it is not the server.
    ///
    /// - Throws: `AuthError` `usage` if the value is invalid.
    package func apiURL() throws(AuthError) -> String? {
        let setting = BackendSetting.apiURL
        guard let text = serverSettings[setting.key] else { return nil }
        // The resolver has checked the value of a profile, so this one is from the environment.
        try setting.require(Setting(text, from: .environment(setting.variable ?? "")))
        return (try? ServerURL(text))?.text
    }
}

package enum ClientKey: Sendable, Equatable {
    case text(Secret)
    case file(String)
}

/// A value with its origin, so that messages can name it.
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
    /// The configuration file, outside any profile.
    case configuration
    case builtIn

    /// The name in a message: `AUTHCTL_BACKEND`; `nil` for a default.
    package var name: String? {
        switch self {
        case .option(let name), .environment(let name): name
        case .profile(let name): "profile '\(name)'"
        case .configuration: "'authctl profile use'"
        case .builtIn: nil
        }
    }

    /// For messages, after the value: ` (from AUTHCTL_BACKEND)`.
    package var clause: String { name.map { " (from \($0))" } ?? "" }
}

extension Connection {
    /// For messages: `'https://example.org/parse' (backend 'parse', application 'shop')`.
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
