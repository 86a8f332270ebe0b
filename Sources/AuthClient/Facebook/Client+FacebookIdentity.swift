import AuthModel

/// Who somebody is at Facebook, found out before the server is asked anything.
extension Client {
    /// An identity for the server, and what else Facebook tells of its owner if that is wanted.
    func identity(
        from credential: FacebookCredential, for backend: any FacebookLinking, wantsProfile: Bool
    ) throws(AuthError) -> (identity: FacebookIdentity, profile: FacebookProfile?) {
        try requireKnownApp()
        let traits = backend.facebookTraits
        let use = profileUse(traits, credential, wantsProfile)
        let proof: FacebookIdentity.Proof
        let profile: FacebookProfile?
        switch credential.way {
        case .given(.idToken(let token)):
            guard traits.takesIDTokens else {
                throw AuthError(
                    .unsupported,
                    "backend '\(settings.connection.backend)' takes no tokens of Facebook's Limited Login",
                    hint: "give an access token instead")
            }
            (proof, profile) = (.idToken(token), try checkedClaims(of: token))
        case .given(.accessToken(let token)):
            var owner = use == .needed ? try self.profile(of: token, credential, use) : nil
            let isAnswered = try requireOwnApp(token)
            if isAnswered, use == .comparison { owner = try self.profile(of: token, credential, use) }
            (proof, profile) = (.accessToken(token), owner)
        case .device(let permissions):
            let token = try deviceLogin(backend, permissions)
            (proof, profile) = (.accessToken(token), try self.profile(of: token, credential, use))
        }
        if let id = credential.id, let profile, profile.id != id {
            throw AuthError(
                .tokenRefused, "the token is of Facebook user '\(profile.id)', not of '\(id)'",
                hint: "leave --facebook-id out")
        }
        return (FacebookIdentity(id: credential.id ?? profile?.id, proof), profile)
    }

    /// The accounts on this machine take the tokens of an app that somebody has named, and no others.
    private func requireKnownApp() throws(AuthError) {
        guard !settings.backend.value.takesServer, try facebookAppID == nil else { return }
        throw AuthError(
            .unsupported, "the accounts on this machine know no Facebook app whose tokens to take",
            hint: "name it: authctl profile set \(profile) \(BackendSetting.facebookAppID.word) ID")
    }

    private var facebookAppID: String? {
        get throws(AuthError) { try facebookSetting(.facebookAppID) }
    }

    /// What a profile says was checked when it was read; what a variable says is nobody's business but here.
    private func facebookSetting(_ setting: BackendSetting) throws(AuthError) -> String? {
        guard let value = settings.serverSettings[setting.key] else { return nil }
        try setting.require(Setting(value, from: .environment(setting.variable ?? setting.key)))
        return value
    }

    // MARK: - Tokens

    /// Servers say little of a token of another app, and some take it.
    ///
    /// - Returns: whether Facebook was asked and told.
    private func requireOwnApp(_ token: Secret) throws(AuthError) -> Bool {
        guard let own = try facebookAppID else { return false }
        let appID: String
        do throws(AuthError) {
            appID = try askingFacebook { facebook throws(AuthError) in try facebook.appID(of: token) }
        } catch {
            if error.reason == .tokenRefused || error.outcome == .usage { throw error }
            // The server finds out in its own way.
            events.warn("whether the token is of Facebook app '\(own)' could not be found out: \(error.message)")
            return false
        }
        if appID != own { throw .otherApp([appID], own) }
        return true
    }

    private func checkedClaims(of token: Secret) throws(AuthError) -> FacebookProfile {
        let claims = try facebook.claims(of: token)
        if let own = try facebookAppID, !claims.appIDs.contains(own) { throw .otherApp(claims.appIDs, own) }
        return claims.profile
    }

    /// What is done with what Facebook tells of a token's owner.
    private enum ProfileUse {
        case none
        /// Somebody said who that is, and the server does not compare.
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
            return try askingFacebook { facebook throws(AuthError) in try facebook.profile(of: token) }
        } catch {
            // The id was given because Facebook cannot be asked.
            if use == .comparison, error.reason != .tokenRefused { return nil }
            guard error.reason != .tokenRefused, credential.id == nil else { throw error }
            var error = error.explaining("Facebook did not tell whose token it is")
            let way = "give the id of its user with --facebook-id ID"
            error.hint = error.hint.map { "\($0), or \(way)" } ?? way
            throw error
        }
    }

    func askingFacebook<Value>(
        _ ask: (any FacebookService) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        let facebook = try facebook
        return try events.during("asking Facebook") { () throws(AuthError) in try ask(facebook) }
    }
}

// MARK: - Device log-in

extension Client {
    /// What is asked for in any case.
    private static let permissions = ["public_profile", "email"]

    private func deviceLogin(
        _ backend: any FacebookLinking, _ permissions: [String]
    ) throws(AuthError) -> Secret {
        let app = try facebookApp(of: backend)
        let facebook = try facebook
        let others = permissions.filter { !Self.permissions.contains($0) }
        let code = try events.during("asking Facebook for a code") { () throws(AuthError) in
            try facebook.beginDeviceLogin(app, permissions: Self.permissions + others)
        }
        try events.show(code, until: clock.now().adding(code.lifetime))
        let login = DeviceLogin(facebook: facebook, app: app, events: events, waiting: waiting)
        return try events.during("waiting for Facebook") { () throws(AuthError) in try login.token(for: code) }
    }

    /// The app to log in to: the one that somebody named, else the one that the site says it takes.
    private func facebookApp(of backend: any FacebookLinking) throws(AuthError) -> FacebookApp {
        let own = try facebookAppID
        var id = own
        if let site = backend as? any SiteDescribing {
            id = try during("asking the site") { () throws(AuthError) in try site.site().facebookAppID }
            guard let id else { throw AuthError(.unsupported, "the site does not take Facebook identities") }
            if let own, own != id {
                throw AuthError(
                    .usage, "the site takes tokens of Facebook app '\(id)', and '\(own)' is named here",
                    hint:
                        "name its app and that app's client token: \(wayToName([.facebookAppID, .facebookClientToken]))"
                )
            }
        }
        let clientToken = try facebookSetting(.facebookClientToken)
        guard let id, let clientToken else { throw missingApp(hasID: id != nil, hasToken: clientToken != nil) }
        return FacebookApp(id: id, clientToken: Secret(clientToken))
    }

    private func missingApp(hasID: Bool, hasToken: Bool) -> AuthError {
        let missing = (hasID ? [] : [BackendSetting.facebookAppID]) + (hasToken ? [] : [.facebookClientToken])
        let names = [hasID ? nil : "the id", hasToken ? nil : "the client token"].compactMap(\.self)
        return AuthError(
            .usage,
            "to log in with Facebook here, \(names.joined(separator: " and ")) of the Facebook app must be known",
            hint: "set \(missing.count == 1 ? "it" : "them"): \(wayToName(missing)); "
                + "or give a token with --token-stdin or --token-file")
    }

    private func wayToName(_ missing: [BackendSetting]) -> String {
        let variables = missing.compactMap(\.variable).joined(separator: " and ")
        let commands = missing.map { setting in
            "authctl profile set \(profile) \(setting.word) \(setting.form == .secret ? "FILE" : "ID")"
        }
        return "\(variables), or \(commands.joined(separator: " and "))"
    }
}

extension AuthError {
    fileprivate static func otherApp(_ ids: [String], _ own: String) -> AuthError {
        let names = ids.map { "'\($0)'" }.joined(separator: ", ")
        return AuthError(
            .tokenRefused, "the token is of Facebook app \(names), and the server takes those of '\(own)'",
            hint: "get one from app '\(own)'")
    }
}
