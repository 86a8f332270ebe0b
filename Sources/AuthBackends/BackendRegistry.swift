package import AuthModel
package import Platform
package import Transport

/// The kinds of backend. The first is the default.
package struct BackendRegistry: Sendable {
    package static let standard = BackendRegistry([.local, .parse, .restAuth, .allauth, .kii])

    private let registrations: [BackendRegistration]

    package init(_ registrations: [BackendRegistration]) {
        self.registrations = registrations
    }

    package var descriptors: [BackendDescriptor] { registrations.map(\.descriptor) }

    /// Every word that names a kind of backend.
    package var words: [String] { descriptors.flatMap(\.words) }

    /// Makes the backend for a site, whose kind is one of the registered.
    package func makeBackend(for site: Site, _ transports: Transports) throws(AuthError) -> any Backend {
        let kind = site.connection.backend
        guard let registration = registrations.first(where: { $0.descriptor.kind == kind }) else {
            throw AuthError(.internal, "unknown backend '\(kind)'")
        }
        return try registration.make(site, transports)
    }
}

/// One kind of backend: its description, and how to make it.
package struct BackendRegistration: Sendable {
    package typealias Failure = AuthError

    let descriptor: BackendDescriptor
    let make: @Sendable (Site, Transports) throws(Failure) -> any Backend

    package init(
        descriptor: BackendDescriptor, make: @escaping @Sendable (Site, Transports) throws(Failure) -> any Backend
    ) {
        self.descriptor = descriptor
        self.make = make
    }
}

/// Where a backend sends its requests, and what the server wants to see with each.
package struct Site: Sendable {
    package let connection: Connection
    /// The key that the server asks of applications.
    package let clientKey: Secret?
    /// What the profile says of this server beside that, by `BackendSetting.key`.
    package let settings: [String: String]

    package init(_ connection: Connection, clientKey: Secret? = nil, settings: [String: String] = [:]) {
        self.connection = connection
        self.clientKey = clientKey
        self.settings = settings
    }
}

/// What backends send their requests with, each made when it is needed.
package struct Transports: Sendable {
    package typealias Failure = AuthError

    /// To the account server inside this program.
    package let embedded: @Sendable () throws(Failure) -> any HTTPTransport
    /// To a host, and there to a base URL and what is below it.
    package let network: @Sendable (_ baseURL: String) throws(Failure) -> any HTTPTransport
    /// For servers that name the time at which to come back.
    package let clock: WallClock

    package init(
        embedded: @escaping @Sendable () throws(Failure) -> any HTTPTransport,
        network: @escaping @Sendable (_ baseURL: String) throws(Failure) -> any HTTPTransport, clock: WallClock
    ) {
        self.embedded = embedded
        self.network = network
        self.clock = clock
    }
}

extension BackendRegistration {
    /// The accounts on this machine: Parse's requests, answered in process.
    static let local = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "local", summary: "local accounts, in SQLite",
            checkedAgainst: "exchanges recorded from Parse Server 3.10 to 8.2", takesServer: false,
            settings: BackendSetting.facebook, checksNewAccounts: true),
        make: { _, transports throws(AuthError) in
            ParseBackend(
                endpoints: ParseEndpoints(base: EmbeddedAccounts.baseURL, appID: EmbeddedAccounts.appID),
                transport: try transports.embedded(),
                traits: ParseBackend.Traits(asksForSession: true, confirmsKeys: true, takesIDTokens: false),
                clock: transports.clock)
        })

    /// A Parse Server somewhere.
    static let parse = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "parse",
            aliases: [BackendDescriptor.Alias("back4app", server: "https://parseapi.back4app.com")],
            summary: "Parse Server 3 to 8, and Back4App",
            checkedAgainst: "exchanges recorded from Parse Server 3.10 to 8.2", takesServer: true,
            takesApplication: true,
            usualMount: "/parse", settings: BackendSetting.facebook, checksNewAccounts: true),
        make: { site, transports throws(AuthError) in
            guard let server = site.connection.server, let appID = site.connection.appID else {
                throw AuthError(.internal, "a Parse Server requires a URL and an application id")
            }
            return ParseBackend(
                endpoints: ParseEndpoints(base: server, appID: appID, clientKey: site.clientKey),
                transport: try transports.network(server),
                traits: ParseBackend.Traits(asksForSession: false, confirmsKeys: false, takesIDTokens: true),
                clock: transports.clock)
        })
}

extension BackendRegistration {
    /// A Django site somewhere.
    static let restAuth = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "rest-auth", aliases: [BackendDescriptor.Alias("dj-rest-auth")],
            summary: "Django with rest-auth 0.9.5 or dj-rest-auth 7",
            checkedAgainst: "rest-auth 0.9.5 and dj-rest-auth 7.2, which the tests run", takesServer: true,
            usualMount: "/dj-rest-auth",
            settings: BackendSetting.facebook + RestAuthView.allCases.map(\.setting), naming: .usernameOrEmail,
            checksNewAccounts: false, trimsPasswords: true),
        make: { site, transports throws(AuthError) in
            guard let server = site.connection.server else {
                throw AuthError(.internal, "a Django site requires a URL")
            }
            return RestAuthBackend(
                endpoints: RestAuthEndpoints(base: server, paths: site.settings),
                transport: try transports.network(server), clock: transports.clock)
        })
}

extension BackendRegistration {
    /// A Django site with allauth's headless API somewhere.
    static let allauth = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "allauth", summary: "Django with allauth 65, headless API for apps",
            checkedAgainst: "allauth 65.21, which the tests run", takesServer: true,
            usualMount: "/_allauth/app/v1", settings: BackendSetting.facebook, naming: .usernameOrEmail,
            checksNewAccounts: false),
        make: { site, transports throws(AuthError) in
            guard let server = site.connection.server else {
                throw AuthError(.internal, "a Django site requires a URL")
            }
            return AllauthBackend(
                endpoints: AllauthEndpoints(base: server), transport: try transports.network(server),
                clock: transports.clock)
        })
}

extension BackendRegistration {
    /// An application on Kii Cloud.
    static let kii = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "kii", summary: "Kii Cloud", checkedAgainst: "its documentation only (2018 to 2024)",
            takesServer: true,
            namedServers: [
                BackendDescriptor.NamedServer("us", url: "https://api.kii.com/api"),
                BackendDescriptor.NamedServer("jp", url: "https://api-jp.kii.com/api"),
                BackendDescriptor.NamedServer("sg", url: "https://api-sg.kii.com/api"),
                BackendDescriptor.NamedServer("eu", url: "https://api-eu.kii.com/api"),
            ],
            takesApplication: true, usualMount: "/api", settings: BackendSetting.facebook, naming: .usernameOrEmail,
            takesPhone: true, checksNewAccounts: false),
        make: { site, transports throws(AuthError) in
            guard let server = site.connection.server, let appID = site.connection.appID else {
                throw AuthError(.internal, "an application on Kii Cloud requires a site and an id")
            }
            return KiiBackend(
                endpoints: KiiEndpoints(site: server, appID: appID, appKey: site.clientKey),
                transport: try transports.network(server), clock: transports.clock)
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
