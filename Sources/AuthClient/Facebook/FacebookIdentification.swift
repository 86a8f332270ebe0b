import AuthModel

/// Identifies the Facebook user before any request to the account server.
struct FacebookIdentification {
    private let client: Client

    init(_ client: Client) {
        self.client = client
    }

    /// Returns an identity for the server, and the Facebook profile of its owner if that is wanted or needed.
    func identity(
        from credential: FacebookCredential, for backend: any FacebookLinking, wantsProfile: Bool
    ) throws(AuthError) -> (identity: FacebookIdentity, profile: FacebookProfile?) {
        try requireKnownApp()
        let traits = backend.facebookTraits
        let use = profileUse(traits, credential, wantsProfile)
        let proof: FacebookIdentity.Proof
        let profile: FacebookProfile?
        switch credential.source {
        case .given(.idToken(let token)):
            guard traits.takesIDTokens else {
                throw AuthError(
                    .unsupported,
                    "backend '\(client.settings.connection.backend)' does not accept ID tokens (Facebook Limited Login)",
                    next: "use an access token instead")
            }
            (proof, profile) = (.idToken(token), try checkedClaims(of: token))
        case .given(.accessToken(let token)):
            var owner = use == .needed ? try self.profile(of: token, credential, use) : nil
            let isConfirmed = try requireOwnApp(token)
            if isConfirmed, use == .comparison { owner = try self.profile(of: token, credential, use) }
            (proof, profile) = (.accessToken(token), owner)
        case .device(let permissions):
            let token = try deviceLogin(backend, permissions)
            (proof, profile) = (.accessToken(token), try self.profile(of: token, credential, use))
        }
        if let id = credential.id, let profile, profile.id != id {
            throw AuthError(
                .tokenRefused, "the token belongs to Facebook user '\(profile.id)', not to '\(id)'",
                next: "remove --facebook-id")
        }
        return (FacebookIdentity(id: credential.id ?? profile?.id, proof), profile)
    }

    /// Local accounts accept tokens of the configured Facebook app only.
    private func requireKnownApp() throws(AuthError) {
        guard !client.settings.backend.value.takesServer, try appID() == nil else { return }
        throw AuthError(
            .unsupported, "no Facebook app is configured for local accounts",
            next: NextStep(
                "set its id", run: ["profile", "set", client.profile, BackendSetting.facebookAppID.word, "ID"]))
    }

    private func appID() throws(AuthError) -> String? { try setting(.facebookAppID) }

    /// A variable is validated at use; values of a profile are valid already.
    private func setting(_ setting: BackendSetting) throws(AuthError) -> String? {
        guard let value = client.settings.serverSettings[setting.key] else { return nil }
        try setting.require(Setting(value, from: .environment(setting.variable ?? setting.key)))
        return value
    }

    // MARK: - Tokens

    /// Rejects a token of another app: servers explain that badly, and some accept it.
    ///
    /// - Returns: whether Facebook confirmed the app.
    private func requireOwnApp(_ token: Secret) throws(AuthError) -> Bool {
        guard let own = try appID() else { return false }
        let appID: String
        do throws(AuthError) {
            appID = try client.callFacebook { facebook throws(AuthError) in try facebook.appID(of: token) }
        } catch {
            if error.reason == .tokenRefused || error.outcome == .usage { throw error }
            // The server checks the token itself.
            client.events.warn(
                "cannot check whether the token belongs to Facebook app '\(own)': \(error.message)")
            return false
        }
        if appID != own { throw .otherApp([appID], own) }
        return true
    }

    private func checkedClaims(of token: Secret) throws(AuthError) -> FacebookProfile {
        let claims = try client.makeFacebook().claims(of: token)
        if let own = try appID(), !claims.appIDs.contains(own) { throw .otherApp(claims.appIDs, own) }
        return claims.profile
    }

    /// Why the Facebook profile of a token's owner is requested.
    private enum ProfileUse {
        case none
        /// To compare the user's `--facebook-id` with the token; the server does not compare them.
        case comparison
        case needed
    }

    private func profileUse(
        _ traits: FacebookTraits, _ credential: FacebookCredential, _ isWanted: Bool
    ) -> ProfileUse {
        if isWanted || traits.needsID && credential.id == nil { return .needed }
        return traits.needsID || credential.id == nil ? .none : .comparison
    }

    private func profile(
        of token: Secret, _ credential: FacebookCredential, _ use: ProfileUse
    ) throws(AuthError) -> FacebookProfile? {
        if use == .none { return nil }
        do throws(AuthError) {
            return try client.callFacebook { facebook throws(AuthError) in try facebook.profile(of: token) }
        } catch {
            // The user specified the id because Facebook cannot be queried.
            if use == .comparison, error.reason != .tokenRefused { return nil }
            guard error.reason != .tokenRefused, credential.id == nil else { throw error }
            var error = error.explaining("Facebook did not say which user the token belongs to")
            error.nextSteps.append("name its user with --facebook-id ID")
            throw error
        }
    }

    // MARK: - Device login

    /// The permissions that are always requested.
    private static let permissions = ["public_profile", "email"]

    private func deviceLogin(_ backend: any FacebookLinking, _ permissions: [String]) throws(AuthError) -> Secret {
        let app = try app(of: backend)
        let facebook = try client.makeFacebook()
        let events = client.events
        let others = permissions.filter { !Self.permissions.contains($0) }
        let code = try events.during("requesting a code from Facebook") { () throws(AuthError) in
            try facebook.beginDeviceLogin(app, permissions: Self.permissions + others)
        }
        try events.show(code, until: client.clock.now().adding(code.lifetime))
        let login = DeviceLogin(facebook: facebook, app: app, events: events, waiting: client.waiting)
        return try events.during("waiting for Facebook") { () throws(AuthError) in try login.token(for: code) }
    }

    /// The configured app, else the one that the site publishes.
    private func app(of backend: any FacebookLinking) throws(AuthError) -> FacebookApp {
        let own = try appID()
        var id = own
        if let site = backend as? any SiteDescribing {
            id = try client.backends.call("requesting the site's settings") { () throws(AuthError) in
                try site.site().facebookAppID
            }
            guard let id else { throw AuthError(.unsupported, "the site does not support Facebook login") }
            if let own, own != id {
                throw AuthError(
                    .usage, "the site accepts tokens of Facebook app '\(id)', but '\(own)' is configured here",
                    nextSteps: stepsToSet(
                        [.facebookAppID, .facebookClientToken], "set its id and its client token"))
            }
        }
        let clientToken = try setting(.facebookClientToken)
        guard let id, let clientToken else { throw missingApp(hasID: id != nil, hasToken: clientToken != nil) }
        client.masker.register(clientToken)
        return FacebookApp(id: id, clientToken: Secret(clientToken))
    }

    private func missingApp(hasID: Bool, hasToken: Bool) -> AuthError {
        let missing = (hasID ? [] : [BackendSetting.facebookAppID]) + (hasToken ? [] : [.facebookClientToken])
        let names = [hasID ? nil : "the id", hasToken ? nil : "the client token"].compactMap(\.self)
        return AuthError(
            .usage,
            "Facebook device login requires \(names.joined(separator: " and ")) of the Facebook app",
            nextSteps: stepsToSet(missing, "set \(missing.count == 1 ? "it" : "them")")
                + ["or use a token: --token-stdin or --token-file"])
    }

    /// Steps with variables, or with one command per setting.
    private func stepsToSet(_ settings: [BackendSetting], _ sentence: String) -> [NextStep] {
        let variables = settings.compactMap(\.variable).joined(separator: " and ")
        let commands = settings.map { setting in
            NextStep(
                "or save it in the profile",
                run: ["profile", "set", client.profile, setting.word, setting.form == .secret ? "FILE" : "ID"])
        }
        return [NextStep("\(sentence) with \(variables)")] + commands
    }
}

extension AuthError {
    fileprivate static func otherApp(_ ids: [String], _ own: String) -> AuthError {
        let names = ids.map { "'\($0)'" }.joined(separator: ", ")
        return AuthError(
            .tokenRefused, "the token belongs to Facebook app \(names), but the server accepts those of '\(own)'",
            next: NextStep("get a token from app '\(own)'"))
    }
}
