package import AuthModel
package import Platform
package import Transport

/// The connection to a server, with the client key and the settings for that server.
package struct Site: Sendable {
    package let connection: Connection
    /// The client key of the application, if the server requires one.
    package let clientKey: Secret?
    /// Further settings for this server, by `BackendSetting.key`.
    package let settings: [String: String]

    package init(_ connection: Connection, clientKey: Secret? = nil, settings: [String: String] = [:]) {
        self.connection = connection
        self.clientKey = clientKey
        self.settings = settings
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

/// Creates the transports of backends when they are needed.
package struct Transports: Sendable {
    package typealias Failure = AuthError
    package typealias Network = @Sendable (_ baseURL: String) throws(Failure) -> any HTTPTransport

    package let embedded: @Sendable () throws(Failure) -> any HTTPTransport
    /// Creates a transport to a host, limited to a base URL and the paths below it.
    package let network: Network
    /// Provides the current time, for session expiry and for an HTTP-date in `Retry-After`.
    package let clock: WallClock
    /// Registers the tokens in responses as secrets, and masks secrets in messages from the server.
    package let masker: Masker

    package init(
        embedded: @escaping @Sendable () throws(Failure) -> any HTTPTransport,
        network: @escaping Network, clock: WallClock, masker: Masker
    ) {
        self.embedded = embedded
        self.network = network
        self.clock = clock
        self.masker = masker
    }
}
