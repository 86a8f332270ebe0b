package import AuthModel
package import Platform
package import Transport

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

    /// The base URL of a site whose backend has one.
    func server() throws(AuthError) -> String {
        guard let server = connection.server else { throw AuthError(.internal, "the backend requires a server URL") }
        return server
    }

    /// The application id of a site whose server hosts several applications.
    func appID() throws(AuthError) -> String {
        guard let appID = connection.appID else { throw AuthError(.internal, "the backend requires an application id") }
        return appID
    }
}

/// The transports of backends, each created when needed.
package struct Transports: Sendable {
    package typealias Failure = AuthError
    package typealias Network = @Sendable (_ baseURL: String) throws(Failure) -> any HTTPTransport

    package let embedded: @Sendable () throws(Failure) -> any HTTPTransport
    /// To a host, limited to a base URL and paths below it.
    package let network: Network
    /// Turns an HTTP-date in Retry-After into seconds.
    package let clock: WallClock
    /// Receives the tokens of responses, and masks the text of servers in errors.
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
