import AuthModel
import Transport

extension BackendRegistration {
    static let supabase = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "supabase", [.takesServer, .takesPhone, .takesNonce, .setsFirstPassword],
            refresh: RefreshPolicy(.refreshToken, tellsExpiry: true),
            clientKey: "Supabase publishable key",
            trials: [
                .init("Supabase Auth 2.151.0, 2.196.0", .recorded, "2026-11-26"),
                .init("hosted projects: gateway, Data API, phone numbers", .documents, "2026-11-27"),
            ],
            settings: BackendSetting.shared + [.authPath], naming: .email,
            codes: [.withPassword, .withoutPassword, .withAddress, .atReset], verification: .address,
            systemFields: SupabasePayloads.systemFields,
            adminKey: .init(
                adminKey,
                source: "`sb_secret_…` or the legacy service_role key, in the dashboard: Project Settings, API Keys"),
            accounts: AccountKeeping(
                [.email, .phone],
                byAdministrator: [
                    .id, .emailAndPhone, .verified, .unverified, .phoneVerified, .disabled, .claims, .passwordHash,
                    .noPassword,
                ],
                changes: [.email, .password, .verified, .disabled, .claims],
                ownMembers: SupabasePayloads.claims + SupabasePayloads.systemFields,
                otherNames: [
                    "app_metadata": "claims", "user_metadata": "fields", "email_confirm": "emailVerified",
                    "phone_confirm": "phoneVerified", "ban_duration": "disabled",
                ], usernameField: "username", reservedClaims: SupabasePayloads.reservedClaims,
                // The limits of argon2: the function `ParseArgon2Hash` of Supabase Auth, pull request 2458.
                hashes: [
                    HashLimit(.bcrypt, 31), HashLimit(.argon2id, 1 << 20, 20, 16), HashLimit(.argon2i, 1 << 20, 20, 16),
                    HashLimit(.fbscrypt),
                ],
                ids: IDForm("be a UUID", 36...36, of: "0123456789abcdefABCDEF", hyphens: [8, 13, 18, 23]))),
        type: SupabaseBackend.self,
        probes: [
            // `health` is also a request for Parse. A gateway requires a key for it.
            ServerProbe(
                kind: "supabase", mounts: [mount], checks: [("/health", { $0.body?["name"] == "GoTrue" })], place: place
            ),
            // Envoy lets these through without a key. Source: as `ErrorResponse.meansBadKey`.
            ServerProbe(
                kind: "supabase", mounts: [mount], needsClientKey: true,
                checks: [
                    ("/health", { $0.status == 401 }),
                    (
                        "/verify",
                        {
                            $0.status == 400
                                && [$0.body?["error_code"], $0.body?["code"]].contains("validation_failed")
                        }
                    ),
                ],
                place: place),
            ServerProbe(
                kind: "supabase", mounts: [mount], needsClientKey: true,
                checks: [
                    ("/health", { $0.status == 401 }),
                    ("/.well-known/jwks.json", { $0.status == 200 && $0.body?["keys"]?.array != nil }),
                ],
                place: place),
        ],
        isService: isHosted,
        checkClientKey: { key throws(AuthError) in
            // Source: Supabase, "Understanding API keys".
            let role = JWT.payload(of: key)?["role"]?.string
            guard key.reveal().hasPrefix("sb_secret_") || role == "service_role" || role == "supabase_admin" else {
                return
            }
            throw AuthError(
                .usage, "the client key is a \(adminKey), which grants all rights on the server",
                nextSteps: [
                    """
                    use the publishable key (sb_publishable_…) or the legacy anon key, from Project Settings, API Keys
                    """,
                    "commands that need the \(adminKey) read it with --admin-key-file FILE",
                ])
        },
        appNames: AppNames(
            server: ["SUPABASE_URL"],
            clientKey: [
                "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_PUBLISHABLE_DEFAULT_KEY", "SUPABASE_ANON_KEY", "SUPABASE_KEY",
            ],
            secrets: ["SUPABASE_SECRET_KEY", "SUPABASE_SERVICE_ROLE_KEY"]),
        make: { site, stack throws(AuthError) in
            let server = try site.server()
            if site.clientKey == nil, isHosted(server) {
                throw AuthError(
                    .usage, "'\(server)' requires the publishable key of the project",
                    nextSteps: NextStep.publishableKey())
            }
            return SupabaseBackend(
                endpoints: SupabaseEndpoints(
                    server: server, path: site.settings[BackendSetting.authPath.key] ?? mount, apiKey: site.clientKey),
                server: ServerClient(server, stack))
        })
}

private let adminKey = "secret key"
private let mount = "/auth/v1"

@Sendable private func isHosted(_ server: String) -> Bool { URLParts(server)?.host.hasSuffix(".supabase.co") == true }

/// The server of a project is the URL without the path of its Auth server.
@Sendable private func place(_ base: String, isTyped: Bool) -> ServerDetection.Found {
    let (kind, isMounted) = ("supabase", base.hasSuffix(mount))
    guard isTyped else { return ServerDetection.Found(kind: kind, url: String(base.dropLast(mount.count))) }
    return ServerDetection.Found(kind: kind, url: base, settings: isMounted ? [:] : [BackendSetting.authPath.key: "/"])
}

extension BackendSetting {
    /// The path of the Auth server below the URL of a Supabase project.
    static let authPath = BackendSetting(
        "authPath", .mount, standard: mount, summary: "path of Auth")
}
