package import AuthModel
package import Transport

/// The kinds of backend there are. The first is the one with nothing configured.
package enum BackendRegistry {
    package static let all: [BackendRegistration] = [
        .local
    ]

    package static var descriptors: [BackendDescriptor] { all.map(\.descriptor) }

    /// The backend for a connection, whose kind is one of the registered.
    package static func makeBackend(
        for connection: Connection, _ transports: Transports
    ) throws(AuthError) -> any Backend {
        guard let registration = all.first(where: { $0.descriptor.kind == connection.backend }) else {
            throw AuthError(.internal, "there is no backend '\(connection.backend)'")
        }
        return try registration.make(connection, transports)
    }
}

/// One kind of backend: what it is, and how to make one.
package struct BackendRegistration: Sendable {
    package let descriptor: BackendDescriptor
    let make: @Sendable (Connection, Transports) throws(AuthError) -> any Backend
}

/// What backends send their requests with, each made when it is needed.
package struct Transports: Sendable {
    package typealias Failure = AuthError

    /// To the account server inside this program.
    package let embedded: @Sendable () throws(Failure) -> any HTTPTransport

    package init(embedded: @escaping @Sendable () throws(Failure) -> any HTTPTransport) {
        self.embedded = embedded
    }
}

extension BackendRegistration {
    /// The accounts on this machine: Parse's requests, answered in process.
    static let local = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "local", summary: "accounts on this machine, in SQLite", takesServer: false, checksNewAccounts: true),
        make: { _, transports throws(AuthError) in
            ParseBackend(
                endpoints: ParseEndpoints(base: EmbeddedAccounts.baseURL, appID: EmbeddedAccounts.appID),
                transport: try transports.embedded(),
                traits: ParseBackend.Traits(asksForSession: true, confirmsKeys: true))
        })
}

/// How the embedded account server is addressed; whoever makes it uses the same.
package enum EmbeddedAccounts {
    package static let baseURL = "embedded:/parse"
    package static let appID = "local"
    /// Where `serve` offers them, if it is not told otherwise; the links in mails lead there.
    package static let publicURL = "http://127.0.0.1:\(port)/parse"
    package static let port = 1337
}
