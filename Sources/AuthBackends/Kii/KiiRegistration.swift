import AuthModel
import Transport

extension BackendRegistration {
    /// Kii Cloud, which no probe detects: every path requires an application id.
    static let kii = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "kii", [.takesServer, .takesApplication, .takesPhone, .endsSessionsByPasswordChange],
            refresh: RefreshPolicy(.refreshToken),
            application: "Kii AppID", clientKey: "Kii AppKey",
            trials: [.init("Kii Cloud in 2018 to 2024", .documents, "2026-11-20")],
            namedServers: [
                "us": "https://api.kii.com/api",
                "jp": "https://api-jp.kii.com/api",
                "sg": "https://api-sg.kii.com/api",
                "eu": "https://api-eu.kii.com/api",
            ],
            usualMount: "/api", settings: BackendSetting.shared, naming: .usernameOrEmail, verification: .requester,
            accounts: AccountKeeping([.username, .email, .phone, .emailAndPhone])),
        type: KiiBackend.self,
        make: { site, stack throws(AuthError) in
            KiiBackend(
                endpoints: KiiEndpoints(site: try site.server(), appID: try site.appID(), appKey: site.clientKey),
                server: ServerClient(try site.server(), stack))
        })
}
