package import AuthModel
package import Transport

/// The connection to a server, with the client key and the settings for that server.
package struct Site: Sendable {
    package let connection: Connection
    /// The client key of the application, if the server requires one.
    package let clientKey: Secret?
    /// Further settings for this server, by `BackendSetting.key`.
    package let settings: [String: String]
    /// The token of the session in use; `nil` if there is none.
    package let token: @Sendable () -> Secret?
    /// The embedded server, for a connection without a URL.
    package let embedded: (any HTTPTransport)?

    package init(
        _ connection: Connection, clientKey: Secret? = nil, settings: [String: String] = [:],
        token: @escaping @Sendable () -> Secret? = { nil }, embedded: (any HTTPTransport)? = nil
    ) {
        self.connection = connection
        self.clientKey = clientKey
        self.settings = settings
        self.token = token
        self.embedded = embedded
    }

    /// Returns the base URL of the server. Throws an internal error if the connection has none.
    func server() throws(AuthError) -> String {
        guard let server = connection.server else { throw AuthError(.internal, "the backend requires a server URL") }
        return server
    }

    /// Returns the application id. Throws an internal error if the connection has none.
    func appID() throws(AuthError) -> String {
        guard let appID = connection.appID else { throw AuthError(.internal, "the backend requires an application id") }
        return appID
    }
}
