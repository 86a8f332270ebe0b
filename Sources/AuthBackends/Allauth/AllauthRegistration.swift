import AuthModel
import Transport

extension BackendRegistration {
    static let allauth = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "allauth", [.takesServer, .takesPhone, .hidesEndedSessions], refresh: RefreshPolicy(.refreshToken),
            trials: [.init("django-allauth 65.21.1, headless API for apps and browsers", .realServer, "2026-11-29")],
            usualMount: "/_allauth/app/v1", settings: BackendSetting.shared + [.tokenScheme], naming: .usernameOrEmail,
            codes: [.withPassword, .alone, .withoutPassword], verification: .requester,
            accounts: AccountKeeping([.username, .email, .phone, .emailAndPhone]),
            // The defaults of allauth's setting `ACCOUNT_RATE_LIMITS`.
            signUpsPerMinute: 20, logInsPerMinute: 30),
        type: AllauthBackend.self,
        probes: [.allauth],
        make: { site, stack throws(AuthError) in
            AllauthBackend(
                endpoints: AllauthEndpoints(
                    base: try site.server(), tokenScheme: site.settings[BackendSetting.tokenScheme.key]),
                server: ServerClient(try site.server(), stack))
        })
}

extension ServerProbe {
    /// The API for apps takes precedence over that for browsers beside it. Source: the exchange `none/config` in
    /// `Tests/Exchanges`.
    fileprivate static let allauth = ServerProbe(
        kind: "allauth", mounts: ["/_allauth/app/v1", "/_allauth/browser/v1"],
        checks: [
            ("/config", { $0.body?["status"]?.integer == 200 && $0.body?["data"]?["account"]?.object != nil })
        ],
        preferred: (path: "/browser/v1", by: "/app/v1"))
}
