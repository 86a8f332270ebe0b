package import AuthModel

/// Logs in with a Facebook identity and saves the session. The server creates the account if there is none.
package struct LogInWithFacebook {
    private let client: Client
    private var sessions: SessionProvider { client.sessions }
    private var backends: BackendProvider { client.backends }

    package init(_ client: Client) {
        self.client = client
    }

    /// - Parameters:
    ///   - fills: whether to fill empty fields from the Facebook profile if the account is or may be new.
    ///   - code: the one-time or recovery code of the second factor, if the user specified one.
    ///   - askCode: called if the server requires a code and `code` is nil; returns `nil` without a terminal.
    package func run(
        _ credential: FacebookCredential, fills: Bool, code: Secret? = nil,
        askCode: () throws(AuthError) -> Secret? = { () throws(AuthError) in nil }
    ) throws(AuthError) -> LogInResult {
        let backend = try backends.require((any FacebookLinking).self, to: "log in with Facebook")
        if code != nil { _ = try secondFactor() }
        let fillUser = FillUser(client)
        if fills { try fillUser.requireSupport() }
        _ = try sessions.prepareToSave()
        let (identity, profile): (FacebookIdentity, FacebookProfile?)
        do throws(AuthError) {
            (identity, profile) = try FacebookIdentification(client)
                .identity(from: credential, for: backend, wantsProfile: fills)
        } catch {
            throw error.outcome == .usage ? error : error.explaining("cannot log in with Facebook")
        }
        // Another process may have logged in while the user entered a code.
        let earlier = try sessions.prepareToSave()
        let new: NewSession
        do throws(AuthError) {
            new = try send(identity, credential, code, askCode, backend)
        } catch {
            sessions.savePendingLogin(error.pendingToken, User(), by: .facebook)
            throw explain(error, credential)
        }
        try sessions.saveOrRevoke(
            new, by: .facebook, replacing: earlier, done: "the login as '\(new.user.displayName ?? "")' succeeded",
            logInAgain: ["--facebook"] + credential.options)
        guard let profile, fills, new.createdAccount ?? true else { return LogInResult(new, filled: fills ? [] : nil) }
        var active = ActiveSession(session: new.session, user: new.user, source: .file, method: .facebook)
        let filled = fillUser.run(&active, from: profile)
        return LogInResult(
            user: active.user, session: active.session, createdAccount: new.createdAccount, filled: filled)
    }

    private func send(
        _ identity: FacebookIdentity, _ credential: FacebookCredential, _ code: Secret?,
        _ askCode: () throws(AuthError) -> Secret?, _ backend: any FacebookLinking
    ) throws(AuthError) -> NewSession {
        do throws(AuthError) {
            if let code { return try send(identity, code) }
            return try client.requestSession(Self.activity) { () throws(AuthError) in
                try backend.logIn(facebook: identity)
            }
        } catch {
            guard code == nil, error.reason == .secondFactorRequired else { throw error }
            let command = ["login", "--facebook"] + credential.options + ["--otp", "CODE"]
            // The code would have to be sent with the same token, but sites accept an ID token only once.
            if case .idToken = identity.proof {
                throw error.suggesting(
                    NextStep("get a new token and add the one-time code or a recovery code", run: command))
            }
            if backend is any FacebookSecondFactor, let asked = try askCode() { return try send(identity, asked) }
            throw error.suggesting(NextStep("add the one-time code or a recovery code", run: command))
        }
    }

    private func send(_ identity: FacebookIdentity, _ code: Secret) throws(AuthError) -> NewSession {
        let backend = try secondFactor()
        return try client.requestSession(Self.activity) { () throws(AuthError) in
            try backend.logIn(facebook: identity, code: code)
        }
    }

    private static let activity = "log in with Facebook"

    private func secondFactor() throws(AuthError) -> any FacebookSecondFactor {
        try backends.require((any FacebookSecondFactor).self, to: "accept one-time codes with Facebook")
    }

    private func explain(_ error: AuthError, _ credential: FacebookCredential) -> AuthError {
        switch error.reason {
        case .emailUnverified where error.pendingToken != nil: return error.suggesting(.completePendingLogin)
        // Facebook provided no address, and the server requires one.
        case .invalidFields:
            return error.suggesting(
                NextStep(
                    "create an account with an e-mail, then link Facebook", run: ["link-facebook"] + credential.options)
            )
        // Only the owner of the account with this address can link it.
        case .emailTaken:
            var error = error
            error.nextSteps = [
                NextStep(
                    "if that account is yours, log in",
                    run: ["login", client.settings.backend.value.naming.placeholder]),
                NextStep("then link Facebook", run: ["link-facebook"] + credential.options),
            ]
            return error
        default: return error
        }
    }
}
