package import AuthModel

/// The server of a backend, with the key and settings for it.
package struct Site: Sendable {
    package let connection: Connection
    /// The key that the server requires of applications.
    package let clientKey: Secret?
    /// Further settings of the profile for this server, by `BackendSetting.key`.
    package let settings: [String: String]

    package init(_ connection: Connection, clientKey: Secret? = nil, settings: [String: String] = [:]) {
        self.connection = connection
        self.clientKey = clientKey
        self.settings = settings
    }
}
