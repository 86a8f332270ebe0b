import AuthModel
import Transport

extension BackendRegistration {
    static let pocketbase = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "pocketbase", [.takesServer, .endsSessionsByPasswordChange, .hidesEndedSessions, .distinguishesCase],
            refresh: RefreshPolicy(.token),
            trials: [.init("PocketBase 0.23.12, 0.28.4, 0.36.9, 0.40.6", .realServer, "2026-11-27")],
            settings: BackendSetting.shared + [.collection], naming: .usernameOrEmail,
            codes: [.alone, .withoutPassword],
            systemFields: PocketBasePayloads.systemFields,
            adminKey: .init(
                "superuser token",
                source: """
                    log in to a profile with the setting `collection` `_superusers`, and use `--admin PROFILE`, or a file \
                    with the output of `authctl token`
                    """, collection: "_superusers"),
            accounts: AccountKeeping(
                [.username, .email, .unverified], byAdministrator: [.id, .verified],
                changes: [.email, .password, .verified, .unverified, .sessions],
                ownMembers: PocketBasePayloads.ownMembers,
                // Source: the field `id` of a new collection.
                ids: IDForm(
                    "have 15 lowercase letters and digits", 15...15, of: "abcdefghijklmnopqrstuvwxyz0123456789"))),
        type: PocketBaseBackend.self,
        probes: [
            ServerProbe(
                kind: "pocketbase", mounts: [""],
                checks: [
                    ("/api/health", { $0.status == 200 && $0.body?["message"]?.string == "API is healthy." }),
                    ("/api/collections/users/auth-methods", PocketBaseErrors.isServer),
                ])
        ],
        appNames: AppNames(server: ["POCKETBASE_URL"]),
        make: { site, stack throws(AuthError) in
            PocketBaseBackend(
                endpoints: PocketBaseEndpoints(
                    base: try site.server(), collection: site.settings[BackendSetting.collection.key] ?? "users"),
                server: ServerClient(try site.server(), stack))
        })
}
