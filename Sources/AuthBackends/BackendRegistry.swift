package import AuthModel
package import Transport

/// The backend kinds that authctl supports. The first one is the default.
package struct BackendRegistry: Sendable {
    package static let standard = BackendRegistry([
        .local, .parse, .restAuth, .allauth, .pocketbase, .supabase, .firebase, .kii,
    ])

    private let registrations: [BackendRegistration]

    package init(_ registrations: [BackendRegistration]) {
        self.registrations = registrations
    }

    package var descriptors: BackendKinds { BackendKinds(registrations.map(\.descriptor)) }

    /// The names and aliases of all backend kinds.
    package var words: [String] { descriptors.flatMap(\.words) }

    /// The Firebase project that issued a token; `nil` if the token does not tell.
    package static func firebaseProject(of token: Secret?) -> String? { FirebasePayloads.project(of: token) }

    func kinds(where isIncluded: (any Backend.Type, BackendDescriptor) -> Bool) -> [String] {
        registrations.filter { isIncluded($0.type, $0.descriptor()) }.map { $0.descriptor().kind }
    }

    /// Creates the backend for a site. Throws an internal error if the site's backend kind is not registered.
    package func makeBackend(for site: Site, _ stack: HTTPStack) throws(AuthError) -> any Backend {
        let kind = site.connection.backend
        guard let registration = registrations.first(where: { $0.descriptor().kind == kind }) else {
            throw AuthError(.internal, "unknown backend '\(kind)'")
        }
        return try registration.make(site, stack)
    }
}

/// A backend kind: its descriptor and its factory.
package struct BackendRegistration: Sendable {
    package typealias Failure = AuthError

    let descriptor: @Sendable () -> BackendDescriptor
    /// Its conformances show the abilities of the backend.
    let type: any Backend.Type
    let make: @Sendable (Site, HTTPStack) throws(Failure) -> any Backend

    package init(
        descriptor: @autoclosure @escaping @Sendable () -> BackendDescriptor, type: any Backend.Type,
        make: @escaping @Sendable (Site, HTTPStack) throws(Failure) -> any Backend
    ) {
        self.descriptor = descriptor
        self.type = type
        self.make = make
    }
}

extension BackendRegistration {
    /// Local accounts. The backend sends Parse requests to the embedded server.
    static let local = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "local", [.checksNewAccounts, .hasParseUsers],
            trials: [.init("compared with Parse Server 8.2.2", .recorded, "2026-11-20")],
            settings: BackendSetting.shared, codes: .withPassword, systemFields: ParsePayloads.systemFields),
        type: ParseBackend.self,
        make: { site, stack throws(AuthError) in
            guard let embedded = site.embedded else { throw AuthError(.internal, "this process has no local accounts") }
            let base = EmbeddedAccounts.baseURL
            return ParseBackend(
                endpoints: ParseEndpoints(base: base, appID: EmbeddedAccounts.appID),
                server: ServerClient(base, stack.traced(embedded, base: base), stack), isEmbedded: true)
        })

    static let parse = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "parse",
            [
                .takesServer, .takesApplication, .checksNewAccounts, .omitsSessionTimes, .hasKeyPerClient,
                .hasParseUsers,
            ],
            application: "Parse application id", clientKey: "Parse REST key",
            aliases: [BackendDescriptor.Alias("back4app", server: "https://parseapi.back4app.com")],
            trials: [
                .init(
                    "Parse Server 3.10.0, 4.10.20, 5.6.0, 6.5.11, 7.1.0, 8.2.2, 9.5.1", .recorded, "2026-11-23"),
                .init("Parse Server 9.6 to 9.10, Back4App", .documents, "2026-11-25"),
            ],
            usualMount: "/parse", settings: BackendSetting.shared, codes: [.withPassword, .onRequest],
            systemFields: ParsePayloads.systemFields,
            adminKey: .init("master key", source: "the option `masterKey` of the server")),
        type: ParseBackend.self,
        make: { site, stack throws(AuthError) in
            ParseBackend(
                endpoints: ParseEndpoints(
                    base: try site.server(), appID: try site.appID(), clientKey: site.clientKey),
                server: ServerClient(try site.server(), stack), isEmbedded: false)
        })

    static let restAuth = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "rest-auth", [.takesServer, .trimsPasswords, .asksProvider, .takesLogInFields],
            refresh: RefreshPolicy(.refreshToken),
            aliases: [BackendDescriptor.Alias("dj-rest-auth")],
            trials: [.init("django-rest-auth 0.9.5, dj-rest-auth 7.2.0", .realServer, "2026-11-25")],
            usualMount: "/dj-rest-auth",
            settings: BackendSetting.shared + [.tokenScheme] + RestAuthView.allCases.map(\.setting),
            naming: .usernameOrEmail, codes: .withPassword),
        type: RestAuthBackend.self,
        make: { site, stack throws(AuthError) in
            RestAuthBackend(
                endpoints: RestAuthEndpoints(base: try site.server(), paths: site.settings),
                server: ServerClient(try site.server(), stack))
        })

    static let allauth = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "allauth", [.takesServer, .takesPhone, .hidesEndedSessions], refresh: RefreshPolicy(.refreshToken),
            trials: [.init("django-allauth 65.21.1, headless API for apps", .realServer, "2026-11-25")],
            usualMount: "/_allauth/app/v1", settings: BackendSetting.shared + [.tokenScheme], naming: .usernameOrEmail,
            codes: [.withPassword, .alone], verification: .requester,
            // The defaults of allauth's setting `ACCOUNT_RATE_LIMITS`.
            signUpsPerMinute: 20, logInsPerMinute: 30),
        type: AllauthBackend.self,
        make: { site, stack throws(AuthError) in
            AllauthBackend(
                endpoints: AllauthEndpoints(
                    base: try site.server(), tokenScheme: site.settings[BackendSetting.tokenScheme.key]),
                server: ServerClient(try site.server(), stack))
        })

    static let pocketbase = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "pocketbase", [.takesServer, .endsSessionsByPasswordChange, .hidesEndedSessions],
            refresh: RefreshPolicy(.token),
            trials: [.init("PocketBase 0.23.12, 0.28.4, 0.36.9, 0.40.6", .realServer, "2026-11-27")],
            settings: BackendSetting.shared + [.collection], naming: .usernameOrEmail, codes: .alone,
            systemFields: PocketBasePayloads.systemFields,
            adminKey: .init(
                "superuser token",
                source: "set `collection` of a profile to `_superusers`, log in with it, then run `authctl token`")),
        type: PocketBaseBackend.self,
        make: { site, stack throws(AuthError) in
            PocketBaseBackend(
                endpoints: PocketBaseEndpoints(
                    base: try site.server(), collection: site.settings[BackendSetting.collection.key] ?? "users"),
                server: ServerClient(try site.server(), stack))
        })

    static let supabase: BackendRegistration = .init(
        descriptor: BackendDescriptor(
            kind: "supabase",
            [.takesServer, .takesPhone, .takesPublishableKey, .takesNonce, .setsFirstPassword],
            refresh: RefreshPolicy(.refreshToken, tellsExpiry: true),
            clientKey: "Supabase publishable key",
            trials: [
                .init("Supabase Auth 2.151.0, 2.196.0", .recorded, "2026-11-26"),
                .init("hosted projects: gateway, Data API, phone numbers", .documents, "2026-11-27"),
            ],
            settings: BackendSetting.shared + [.authPath], naming: .email, codes: .withPassword,
            verification: .address,
            systemFields: SupabasePayloads.systemFields,
            adminKey: .init(
                "secret key",
                source: "`sb_secret_…` or the legacy service_role key, in the dashboard: Project Settings, API Keys")),
        type: SupabaseBackend.self,
        make: { site, stack throws(AuthError) in
            let server = try site.server()
            if site.clientKey == nil, supabase.descriptor().requiresClientKey(at: server) {
                throw AuthError(
                    .usage, "'\(server)' requires the publishable key of the project",
                    nextSteps: NextStep.publishableKey())
            }
            let path = site.settings[BackendSetting.authPath.key] ?? BackendSetting.authPath.standard ?? ""
            return SupabaseBackend(
                endpoints: SupabaseEndpoints(server: server, path: path, apiKey: site.clientKey),
                server: ServerClient(server, stack))
        })

    static let firebase = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "firebase",
            [
                .takesServer, .mayNameApplication, .takesPublishableKey, .takesNonce, .endsSessionsByPasswordChange,
                .setsFirstPassword,
            ],
            refresh: RefreshPolicy(.refreshToken, tellsExpiry: true, renewsRevoked: false),
            application: "Firebase project id", clientKey: "Firebase Web API key",
            trials: [
                .init("Auth Emulator of firebase-tools 15.5.1", .recorded, "2026-11-26"),
                .init("Firebase Authentication", .documents, "2026-11-26"),
            ],
            usualServer: FirebaseEndpoints.service, emulatorVariable: "FIREBASE_AUTH_EMULATOR_HOST",
            settings: BackendSetting.shared, naming: .email, codes: .alone, verification: .requester,
            systemFields: FirebasePayloads.systemFields,
            adminKey: .init("access token", source: "`gcloud auth print-access-token`; the emulator needs none")),
        type: FirebaseBackend.self,
        make: { site, stack throws(AuthError) in
            let endpoints = FirebaseEndpoints(
                server: try site.server(), apiKey: site.clientKey, namedProject: site.connection.appID,
                project: { site.connection.appID ?? FirebasePayloads.project(of: site.token()) })
            guard endpoints.emulator != nil || site.clientKey != nil else {
                throw AuthError(
                    .usage, "Firebase requires the Web API key of the project",
                    nextSteps: ["set it with --client-key-file FILE or AUTHCTL_CLIENT_KEY", .webAPIKey])
            }
            return FirebaseBackend(
                endpoints: endpoints, server: ServerClient(endpoints.emulator ?? endpoints.accounts, stack),
                tokens: ServerClient(endpoints.emulator ?? endpoints.tokens, stack))
        })

    static let kii = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "kii", [.takesServer, .takesApplication, .takesPhone, .endsSessionsByPasswordChange],
            refresh: RefreshPolicy(.refreshToken),
            application: "Kii AppID", clientKey: "Kii AppKey",
            trials: [.init("Kii Cloud in 2018 to 2024", .documents, "2026-11-20")],
            namedServers: [
                BackendDescriptor.NamedServer("us", url: "https://api.kii.com/api"),
                BackendDescriptor.NamedServer("jp", url: "https://api-jp.kii.com/api"),
                BackendDescriptor.NamedServer("sg", url: "https://api-sg.kii.com/api"),
                BackendDescriptor.NamedServer("eu", url: "https://api-eu.kii.com/api"),
            ],
            usualMount: "/api", settings: BackendSetting.shared, naming: .usernameOrEmail,
            verification: .requester),
        type: KiiBackend.self,
        make: { site, stack throws(AuthError) in
            KiiBackend(
                endpoints: KiiEndpoints(site: try site.server(), appID: try site.appID(), appKey: site.clientKey),
                server: ServerClient(try site.server(), stack))
        })
}

/// The URLs and the application id of the embedded account server.
package enum EmbeddedAccounts {
    package static let baseURL = "embedded:/parse"
    package static let appID = "local"
    /// The default URL of `authctl serve`. The links in e-mails begin with it.
    package static let publicURL = "http://127.0.0.1:\(port)/parse"
    package static let port = 1337
}
