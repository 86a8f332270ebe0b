import AuthModel
import Transport

extension BackendRegistration {
    static let firebase = BackendRegistration(
        descriptor: BackendDescriptor(
            kind: "firebase",
            [.takesServer, .mayNameApplication, .takesNonce, .endsSessionsByPasswordChange, .setsFirstPassword],
            refresh: RefreshPolicy(.refreshToken, tellsExpiry: true, renewsRevoked: false),
            application: "Firebase project id", clientKey: "Firebase Web API key",
            trials: [
                .init("Auth Emulator of firebase-tools 15.5.1", .recorded, "2026-11-26"),
                .init("Firebase Authentication", .documents, "2026-11-26"),
            ],
            usualServer: FirebaseEndpoints.service, emulatorVariable: BackendDescriptor.firebaseEmulator,
            settings: BackendSetting.shared + [.serviceAccount], naming: .email,
            codes: [.alone, .withoutPassword, .withAddress], verification: .requester,
            systemFields: FirebasePayloads.systemFields,
            adminKey: .init("access token", source: "`gcloud auth print-access-token`; the emulator needs none"),
            accounts: AccountKeeping(
                [.email, .unverified],
                byAdministrator: [
                    .id, .phone, .emailAndPhone, .phoneVerified, .verified, .disabled, .claims, .passwordHash,
                    .noPassword,
                ],
                changes: [.email, .password, .verified, .unverified, .disabled, .claims, .sessions],
                fields: FirebasePayloads.settableFields,
                otherNames: ["customAttributes": "claims", "custom_claims": "claims", "disableUser": "disabled"],
                usernameField: "displayName", reservedClaims: FirebasePayloads.reservedClaims,
                // Source: `UserImportBuilder` of firebase-admin.
                hashes: [HashLimit(.bcrypt, 31), HashLimit(.fbscrypt, 14, 8), HashLimit(.pbkdf2, 120_000)],
                // Source: Firebase, "Manage Users".
                ids: IDForm("have 1 to 128 characters, and no control characters", 1...128))),
        type: FirebaseBackend.self,
        probes: [
            ServerProbe(
                kind: "firebase", mounts: [""], isOnlyAtOrigin: true,
                checks: [("/", { $0.body?["authEmulator"]?.object != nil })])
        ],
        isService: { $0 == FirebaseEndpoints.service },
        // `private_key`: a service account.
        appNames: AppNames(
            server: ["FIREBASE_AUTH_EMULATOR_HOST"], appID: ["projectId", "FIREBASE_PROJECT_ID"],
            clientKey: ["apiKey", "FIREBASE_API_KEY"], secrets: ["private_key", "FIREBASE_PRIVATE_KEY"]),
        mails: { site, isPhone throws(AuthError) in
            guard let url = try endpoints(site).emulator else { return nil }
            guard let project = project(of: site) else {
                throw AuthError(
                    .usage, "cannot read e-mails: the name of the Firebase project is required",
                    next: "add --app-id PROJECT, or log in")
            }
            let member = isPhone ? "verificationCodes" : "oobCodes"
            return MailListing(
                url: "\(url)/emulator/v1/projects/\(project.percentEncoded)/\(member)", member: member,
                mail: isPhone ? FirebasePayloads.message : FirebasePayloads.mail)
        },
        make: { site, stack throws(AuthError) in
            let endpoints = try endpoints(site)
            guard endpoints.emulator != nil || site.clientKey != nil else {
                throw AuthError(
                    .usage, "Firebase requires the Web API key of the project",
                    nextSteps: ["set it with --client-key-file FILE or AUTHCTL_CLIENT_KEY", .webAPIKey])
            }
            return FirebaseBackend(
                endpoints: endpoints, server: ServerClient(endpoints.emulator ?? endpoints.accounts, stack),
                tokens: ServerClient(endpoints.emulator ?? endpoints.tokens, stack))
        })
}

private func endpoints(_ site: Site) throws(AuthError) -> FirebaseEndpoints {
    FirebaseEndpoints(
        server: try site.server(), apiKey: site.clientKey, namedProject: site.connection.appID,
        linkOrigin: site.settings[BackendSetting.linkOrigin.key],
        serviceAccount: site.settings[BackendSetting.serviceAccount.key],
        project: { project(of: site) })
}

private func project(of site: Site) -> String? { site.connection.appID ?? FirebasePayloads.project(of: site.token()) }

extension BackendSetting {
    /// The service account whose name signs custom tokens. No private key is read.
    static let serviceAccount = BackendSetting(
        "serviceAccount", .word, summary: "e-mail of the service account")
}
