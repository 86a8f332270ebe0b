package import AuthModel
package import Platform
package import Transport

/// The transports of backends, each created when needed.
package struct Transports: Sendable {
    package typealias Failure = AuthError
    package typealias Network = @Sendable (_ baseURL: String) throws(Failure) -> any HTTPTransport

    package let embedded: @Sendable () throws(Failure) -> any HTTPTransport
    /// To a host, limited to a base URL and paths below it.
    package let network: Network
    /// Used to turn an HTTP-date in Retry-After into seconds.
    package let clock: WallClock
    /// Gets the tokens of responses, and masks the text of servers in errors.
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

extension Transports {
    /// For backends that send no requests of the user.
    static let noNetwork: Network = { _ throws(AuthError) in throw AuthError(.internal, "no transport to another URL") }
}
