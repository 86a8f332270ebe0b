import AuthModel
import Transport

extension BackendRegistration {
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
        // Source: the exchange `none/login-get` in `Tests/Exchanges`.
        probes: [
            ServerProbe(
                kind: "rest-auth", mounts: ["/dj-rest-auth", "/api/auth", "/rest-auth"],
                checks: [("/login/", { $0.status == 405 && $0.refusesGET })])
        ],
        make: { site, stack throws(AuthError) in
            RestAuthBackend(
                endpoints: RestAuthEndpoints(base: try site.server(), paths: site.settings),
                server: ServerClient(try site.server(), stack))
        })
}
