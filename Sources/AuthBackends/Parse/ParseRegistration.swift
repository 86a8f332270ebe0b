import AuthModel
import Transport

extension BackendRegistration {
    /// Local accounts. The backend sends Parse requests to the embedded server.
    static let local = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "local", [.checksNewAccounts, .hasParseUsers],
            trials: [.init("compared with Parse Server 8.2.2", .recorded, "2026-11-20")],
            settings: BackendSetting.shared, codes: .withPassword, systemFields: ParsePayloads.systemFields,
            accounts: AccountKeeping(
                [.id, .username, .email, .verified, .unverified, .authData, .passwordHash],
                changes: [.email, .password, .verified, .unverified, .sessions],
                ownMembers: ParsePayloads.ownMembers, hashes: [HashLimit(.argon2id, 131_072, 10)],
                // The characters of a UUID and of Parse's ids, because ids become parts of URLs.
                ids: IDForm(
                    "have 1 to 36 letters, digits and '-'", 1...36,
                    of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"))),
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
            adminKey: .init("master key", source: "the option `masterKey` of the server"),
            accounts: AccountKeeping(
                [.username, .email, .unverified, .authData], byAdministrator: [.verified, .roles],
                changes: [.email, .password, .verified, .unverified, .roles, .sessions],
                ownMembers: ParsePayloads.ownMembers)),
        type: ParseBackend.self,
        // Parse Server allows `/health` without an application id, but rejects `/users/me`. Source: the exchange
        // `health.ok` in `Tests/Exchanges`.
        probes: [
            ServerProbe(
                kind: "parse", mounts: ["/parse"],
                checks: [
                    ("/health", { $0.status == 200 && $0.body?["status"]?.string != nil }),
                    ("/users/me", { ParseErrors.wrote($0) }),
                ])
        ],
        appNames: AppNames(
            server: ["PARSE_SERVER_URL"], appID: ["PARSE_APP_ID", "PARSE_APPLICATION_ID"],
            secrets: ["PARSE_MASTER_KEY"]),
        make: { site, stack throws(AuthError) in
            ParseBackend(
                endpoints: ParseEndpoints(
                    base: try site.server(), appID: try site.appID(), clientKey: site.clientKey),
                server: ServerClient(try site.server(), stack), isEmbedded: false)
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
