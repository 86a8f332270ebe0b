package import AuthModel
package import Transport

/// The kinds of backend there are. The first is the one with nothing configured.
package enum BackendRegistry {
    package static let all: [BackendRegistration] = [
        .local
    ]

    package static var descriptors: [BackendDescriptor] { all.map(\.descriptor) }

    /// The backend for a connection, whose kind is one of the registered.
    package static func makeBackend(for connection: Connection, _ transports: Transports) -> (any Backend)? {
        all.first { $0.descriptor.kind == connection.backend }?.make(connection, transports)
    }
}

/// One kind of backend: what it is, and how to make one.
package struct BackendRegistration: Sendable {
    package let descriptor: BackendDescriptor
    let make: @Sendable (Connection, Transports) -> any Backend
}

/// What backends send their requests with.
package struct Transports: Sendable {
    /// To the account server inside this program.
    package let embedded: any HTTPTransport

    package init(embedded: any HTTPTransport) {
        self.embedded = embedded
    }
}

extension BackendRegistration {
    /// The accounts on this machine: Parse's requests, answered in process.
    static let local = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "local", summary: "accounts on this machine, in SQLite", checksNewAccounts: true),
        make: { _, transports in
            ParseBackend(
                endpoints: ParseEndpoints(base: EmbeddedAccounts.baseURL, appID: EmbeddedAccounts.appID),
                transport: transports.embedded, asksForSession: true)
        })
}

/// How the embedded account server is addressed; whoever makes it uses the same.
package enum EmbeddedAccounts {
    package static let baseURL = "embedded:/parse"
    package static let appID = "local"
}
