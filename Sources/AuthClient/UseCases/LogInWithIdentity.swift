package import AuthModel

/// Logs in with a provider's identity and saves the session. The server creates an account if the identity has none.
package struct LogInWithIdentity: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// - Parameters:
    ///   - fills: whether to fill empty fields from the provider's profile; applies only if the account may be new.
    ///   - code: the one-time or recovery code of the second factor, if the user specified one.
    ///   - askCode: called if the server requires a code and `code` is nil; returns `nil` if no terminal is available.
    package func run(
        _ source: any IdentitySource, fills: Bool = false, code: Secret? = nil,
        askCode: () throws(AuthError) -> Secret? = { () throws(AuthError) in nil }
    ) throws(AuthError) -> LogInResult {
        let activity = "log in with \(source.provider.title)"
        let backend = try backends.connect()
        if code != nil, !client.settings.backend.value.codes.contains(.alone) {
            throw backends.cannot("accept one-time codes with identities")
        }
        let fillUser = FillUser(client: client)
        if fills { try fillUser.requireSupport() }
        _ = try sessions.prepareToSave()
        let (credential, profile) = try failing(as: "cannot \(activity)", unless: .usage) { () throws(AuthError) in
            try source.credential(for: backend, client, wantsProfile: fills)
        }
        // Load the saved session again, because another process may have logged in during the device login.
        let earlier = try sessions.prepareToSave()
        let new: NewSession
        do throws(AuthError) {
            new = try session(of: credential, activity, code, askCode, backend)
        } catch {
            throw error.completed(after: source, client.settings.backend.value.naming)
        }
        try sessions.saveOrRevoke(
            new, by: .identity(source.provider), replacing: earlier,
            done: "the login as '\(new.user.displayName ?? "")' succeeded",
            logInAgain: source.loginArguments)
        guard let profile, fills, new.createdAccount ?? true else { return LogInResult(new, filled: fills ? [] : nil) }
        var active = ActiveSession(sessions.stored(new.session, new.user, by: .identity(source.provider)))
        active.apiURL = try client.settings.apiURL()
        let filled = fillUser.run(&active, from: profile)
        return LogInResult(
            user: active.user, session: active.session, createdAccount: new.createdAccount, filled: filled)
    }

    private func session(
        of credential: IdentityCredential, _ activity: String, _ code: Secret?,
        _ askCode: () throws(AuthError) -> Secret?, _ backend: any Backend
    ) throws(AuthError) -> NewSession {
        var outcome = try client.requestSession(activity) { () throws(BackendError) in try backend.logIn(credential) }
        if case .waits(let pending, _) = outcome, pending.step != .emailVerification, let token = pending.token {
            let given = if let code { code } else { try askCode() }
            if let given {
                outcome = try client.requestSession(activity) { () throws(BackendError) in
                    try backend.resume(token, code: given)
                }
            }
        }
        if case .waits(let pending, _) = outcome, pending.step == .emailVerification {
            sessions.pending.save(pending.token, User(), by: .identity(credential.provider))
        }
        return try failing(as: "cannot \(activity)", outcome.session)
    }
}

extension AuthError {
    /// Adds the next steps after a failed login with an identity.
    fileprivate func completed(
        after source: any IdentitySource, _ naming: BackendDescriptor.Naming
    ) -> AuthError {
        var error = self
        switch reason {
        // Only the owner of the account with this address can link the identity.
        case .emailTaken:
            error.nextSteps = [
                NextStep("if that account is yours, log in", run: ["login", naming.placeholder]),
                NextStep("then link \(source.provider.title)", run: ["link"] + source.linkArguments),
            ]
        case .secondFactorRequired: error = suggesting(.addCode(source.loginArguments))
        // The provider supplied no e-mail address, or a username that is taken.
        case .invalidFields, .usernameTaken:
            let name = reason == .usernameTaken ? "another username" : "an e-mail"
            error = suggesting(
                NextStep(
                    "create an account with \(name), then link \(source.provider.title)",
                    run: ["link"] + source.linkArguments))
        default: break
        }
        return error
    }
}
