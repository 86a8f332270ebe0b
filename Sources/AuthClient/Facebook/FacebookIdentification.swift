package import AuthModel

/// A Facebook identity, proved by a token of the user or by a login in a browser on any device.
package struct FacebookSource: IdentitySource {
    package enum Proof: Sendable, Equatable {
        case given(IdentityProof)
        /// Facebook Login for Devices.
        ///
        /// - Parameter permissions: the permissions to request in addition to the default permissions.
        case device(permissions: [String])
    }

    package let proof: Proof
    /// The Facebook user's id from `--identity-id`; `nil` without this option.
    package let id: String?
    package let clientID: String?
    /// The nonce of an ID token.
    package let nonce: String?

    package init(_ proof: Proof, id: String? = nil, clientID: String? = nil, nonce: String? = nil) {
        self.proof = proof
        self.id = id
        self.clientID = clientID
        self.nonce = nonce
    }

    package var provider: IdentityProvider { .facebook }
    package var isInteractive: Bool { if case .device = proof { true } else { false } }

    package var options: [String] {
        guard case .given(let proof) = proof else { return id.map { .option("--identity-id", $0) } ?? [] }
        return credential(proof, id).options
    }

    package func credential(
        for backend: any Backend, _ client: Client, wantsProfile: Bool
    ) throws(AuthError) -> (credential: IdentityCredential, profile: IdentityProfile?) {
        try FacebookIdentification(client: client).identity(from: self, for: backend, wantsProfile: wantsProfile)
    }

    fileprivate func credential(_ proof: IdentityProof, _ id: String?) -> IdentityCredential {
        IdentityCredential(.facebook, id: id, clientID: clientID, nonce: nonce, proof)
    }
}

/// Identifies the Facebook user before the proof is sent to the account server.
struct FacebookIdentification {
    let client: Client

    /// Returns the identity for the server, and the user's Facebook profile if it was obtained.
    func identity(
        from source: FacebookSource, for backend: any Backend, wantsProfile: Bool
    ) throws(AuthError) -> (credential: IdentityCredential, profile: IdentityProfile?) {
        try requireKnownApp()
        let use = profileUse(source, for: backend, wantsProfile)
        let proof: IdentityProof
        var profile: IdentityProfile?
        switch source.proof {
        case .given(let given):
            proof = given
            try source.credential(given, source.id).requireNonce(at: client.settings)
            if let token = given.accessToken {
                if use == .needed { profile = try self.profile(of: token, source, use) }
                let isConfirmed = try requireOwnApp(token)
                if isConfirmed, use == .comparison { profile = try self.profile(of: token, source, use) }
            } else if let token = given.idToken {
                let claims = try IDTokenClaims(token, of: source.credential(given, source.id), client)
                if let own = try appID(), !claims.appIDs.contains(own) { throw .otherApp(claims.appIDs, own) }
                profile = claims.profile
            }
        case .device(let permissions):
            let token = try deviceLogin(backend, permissions)
            proof = .accessToken(token)
            profile = try self.profile(of: token, source, use)
        }
        if let id = source.id, let profile, profile.id != id {
            throw AuthError(
                .tokenRefused, "the token belongs to Facebook user '\(profile.id)', not to '\(id)'",
                next: "remove --identity-id")
        }
        return (source.credential(proof, source.id ?? profile?.id), profile)
    }

    /// Local accounts accept only tokens of the configured Facebook app.
    private func requireKnownApp() throws(AuthError) {
        guard !client.settings.backend.value.has(.takesServer), try appID() == nil else { return }
        throw AuthError(
            .unsupported, "no Facebook app is configured for local accounts",
            next: NextStep(
                "set its id", run: ["profile", "set", client.profile, BackendSetting.facebookAppID.word, "ID"]))
    }

    private func appID() throws(AuthError) -> String? { try setting(.facebookAppID) }

    /// Validates the value of a setting, because it may come from an environment variable. Values from a profile are
    /// already validated.
    private func setting(_ setting: BackendSetting) throws(AuthError) -> String? {
        guard let value = client.settings.serverSettings[setting.key] else { return nil }
        try setting.require(Setting(value, from: .environment(setting.variable ?? setting.key)))
        return value
    }

    // MARK: - Tokens

    /// Rejects a token of any app but the configured one. Some servers accept it, others give no clear error.
    ///
    /// - Returns: whether Facebook confirmed the app.
    private func requireOwnApp(_ token: Secret) throws(AuthError) -> Bool {
        guard let own = try appID() else { return false }
        let appID: String
        do throws(AuthError) {
            appID = try client.callFacebook { facebook throws(BackendError) in try facebook.appID(of: token) }
        } catch {
            if error.reason == .tokenRefused || error.outcome == .usage { throw error }
            // If Facebook is unavailable, the server alone decides whether to accept the token.
            client.events.warn("cannot check whether the token belongs to Facebook app '\(own)': \(error.message)")
            return false
        }
        if appID != own { throw .otherApp([appID], own) }
        return true
    }

    /// Why the Facebook profile of a token's owner is requested.
    private enum ProfileUse {
        case none
        /// To compare the token's owner with the id that the user specified, because the server does not compare them.
        case comparison
        case needed
    }

    private func profileUse(
        _ source: FacebookSource, for backend: any Backend, _ isWanted: Bool
    ) -> ProfileUse {
        if isWanted || backend.usesIdentityIDs && source.id == nil { return .needed }
        return backend.usesIdentityIDs || source.id == nil ? .none : .comparison
    }

    private func profile(
        of token: Secret, _ source: FacebookSource, _ use: ProfileUse
    ) throws(AuthError) -> IdentityProfile? {
        if use == .none { return nil }
        do throws(AuthError) {
            return try client.callFacebook { facebook throws(BackendError) in try facebook.profile(of: token) }
        } catch {
            // The comparison is optional: a user may have specified the id because Facebook is unreachable.
            if use == .comparison, error.reason != .tokenRefused { return nil }
            guard error.reason != .tokenRefused, source.id == nil else { throw error }
            var error = error.explaining("Facebook did not say which user the token belongs to")
            error.nextSteps.append("name its user with --identity-id ID")
            throw error
        }
    }

    // MARK: - Device login

    /// The default permissions, which are always requested.
    private static let permissions = ["public_profile", "email"]

    private func deviceLogin(_ backend: any Backend, _ permissions: [String]) throws(AuthError) -> Secret {
        let app = try app(of: backend)
        let events = client.events
        let others = permissions.filter { !Self.permissions.contains($0) }
        let code = try client.callFacebook("requesting a code from Facebook") { facebook throws(BackendError) in
            try facebook.beginDeviceLogin(app, permissions: Self.permissions + others)
        }
        try events.show(code, until: client.clock.now().adding(code.lifetime))
        let facebook = try client.sources.facebook(client.settings)
        return try events.during("waiting for Facebook") { () throws(AuthError) in
            try DeviceLogin(facebook: facebook, app: app, events: events, waiting: client.waiting).token(for: code)
        }
    }

    /// Returns the app that the site publishes, or the configured app if the backend cannot read the site's settings.
    private func app(of backend: any Backend) throws(AuthError) -> FacebookApp {
        let own = try appID()
        var id = own
        if let site = backend as? any SiteDescribing {
            id = try client.backends.call("requesting the site's settings") { () throws(BackendError) in
                try site.site().providers.first { $0.name == IdentityProvider.facebook.name }?.clientID
            }
            guard let id else { throw AuthError(.unsupported, "the site does not support Facebook login") }
            if let own, own != id {
                throw AuthError(
                    .usage, "the site accepts tokens of Facebook app '\(id)', but '\(own)' is configured here",
                    nextSteps: stepsToSet([.facebookAppID, .facebookClientToken], "set its id and its client token"))
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

    /// Returns steps that set the settings with environment variables, or with one command per setting.
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
        let names = ids.map { "'\($0)'" }.joined(separator: " or ")
        return AuthError(
            .tokenRefused,
            "the token belongs to Facebook app \(names), but the server accepts only tokens of app '\(own)'",
            next: NextStep("get a token from app '\(own)'"))
    }
}

extension Client {
    /// Sends a request to Facebook and shows progress.
    func callFacebook<Value>(
        _ activity: String = "asking Facebook", _ body: (any FacebookService) throws(BackendError) -> Value
    ) throws(AuthError) -> Value {
        let facebook = try sources.facebook(settings)
        return try events.during(activity) { () throws(AuthError) in
            try converting { () throws(BackendError) in try body(facebook) }
        }
    }
}
