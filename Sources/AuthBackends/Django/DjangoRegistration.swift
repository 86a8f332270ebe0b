import AuthModel
import Platform
import Transport

extension BackendRegistration {
    static let django = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "django", [.takesServer, .takesLogInFields, .hasOnlyLogin, .hidesEndedSessions],
            trials: [.init("Django 5.2.19, sites with a login form", .realServer, "2026-11-29")],
            settings: BackendSetting.shared + DjangoEndpoints.settings),
        type: DjangoBackend.self,
        probes: [.loginPage] + [DjangoEndpoints.standardLogin, "/admin/login/"].map { .loginForm(at: $0) },
        make: { site, stack throws(AuthError) in
            DjangoBackend(
                endpoints: DjangoEndpoints(base: try site.server(), paths: site.settings),
                server: ServerClient(try site.server(), stack))
        })
}

extension ServerProbe {
    /// The URL itself is that of a login form. At an origin, another kind of server takes precedence.
    fileprivate static let loginPage = ServerProbe(
        kind: "django", mounts: [], checks: [("/", { $0.hasLoginForm && URLParts($0.url)?.path != "/" })],
        place: { base, _ in
            let parts = URLParts(base)
            return .init(
                kind: "django", url: parts?.origin ?? base, settings: ["loginPath": "\(parts?.path ?? "")/"])
        })

    fileprivate static func loginForm(at path: String) -> ServerProbe {
        ServerProbe(
            kind: "django", mounts: [""], isLast: true, checks: [(path, \.hasLoginForm)],
            place: { base, _ in
                let isStandard = path == DjangoEndpoints.standardLogin
                return .init(kind: "django", url: base, settings: isStandard ? [:] : ["loginPath": path])
            })
    }
}

extension ErrorResponse {
    fileprivate var hasLoginForm: Bool { status == 200 && HTMLForm.all(in: bytes).contains(where: \.isLogin) }
}
