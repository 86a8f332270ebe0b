package import AuthModel

/// What became of an account that was linked or unlinked.
package struct FacebookResult: Sendable, Equatable {
    package let change: FacebookChange
    /// The fields that were filled in; `nil`: nobody wanted that.
    package let filled: [String]?
    /// Whether the app's permissions at Facebook were withdrawn, too.
    package let isWithdrawn: Bool
    /// Whether that had been so before.
    package let wasWithdrawn: Bool

    package init(change: FacebookChange, filled: [String]? = nil, isWithdrawn: Bool = false, wasWithdrawn: Bool = false)
    {
        self.change = change
        self.filled = filled
        self.isWithdrawn = isWithdrawn
        self.wasWithdrawn = wasWithdrawn
    }
}

extension Client {
    /// The Facebook identity that the account is linked with.
    package func facebookLink() throws(AuthError) -> FacebookLink {
        let backend = try facebookLinking()
        var active = try activeSession()
        return try facebookStatus(&active, backend, else: "cannot tell whether a Facebook identity is linked").link
    }

    /// Links the account with a Facebook identity, in the place of the one linked before.
    ///
    /// - Parameter fills: whether what Facebook tells of the user fills empty fields of the account.
    package func linkFacebook(_ credential: FacebookCredential, fills: Bool) throws(AuthError) -> FacebookResult {
        let backend = try facebookLinking()
        if fills { _ = try userFilling() }
        var active = try usableSession(before: credential)
        let (identity, profile): (FacebookIdentity, FacebookProfile?)
        let failure = "cannot link the Facebook identity"
        do throws(AuthError) {
            (identity, profile) = try self.identity(from: credential, for: backend, wantsProfile: fills)
            try requireSameAccount(&active)
        } catch {
            throw error.outcome == .usage ? error : error.explaining(failure)
        }
        let change: FacebookChange
        do throws(AuthError) {
            change = try changeFacebook(&active, "linking", else: failure) { session throws(AuthError) in
                try backend.linkFacebook(identity, to: session)
            }
        } catch {
            throw explainConflict(error, credential)
        }
        if let id = change.replacedID {
            events.note("the account was linked with Facebook identity '\(id)' before; that link is gone")
        }
        guard fills, let profile else { return FacebookResult(change: change) }
        return FacebookResult(change: change, filled: fill(&active, from: profile))
    }

    /// Starts a session with a Facebook identity; the account is made if there is none.
    ///
    /// - Parameters:
    ///   - fills: whether what Facebook tells of the user fills empty fields of an account that is, or may be, new.
    ///   - code: of the second factor, if it is known beforehand.
    ///   - askCode: called when the server wants a code and none is known; answers `nil` where there is nobody to ask.
    package func logIn(
        facebook credential: FacebookCredential, fills: Bool, code: Secret? = nil,
        askCode: () throws(AuthError) -> Secret? = { () throws(AuthError) in nil }
    ) throws(AuthError) -> LogInResult {
        let backend = try ability((any FacebookLinking).self, to: "log in with Facebook")
        if code != nil { _ = try facebookSecondFactor() }
        if fills { _ = try userFilling() }
        _ = try readyToKeep()
        let (identity, profile): (FacebookIdentity, FacebookProfile?)
        do throws(AuthError) {
            (identity, profile) = try self.identity(from: credential, for: backend, wantsProfile: fills)
        } catch {
            throw error.outcome == .usage ? error : error.explaining("cannot log in with Facebook")
        }
        // Somebody may have logged in while a code was entered.
        let earlier = try readyToKeep()
        let logIn: NewSession
        do throws(AuthError) {
            logIn = try self.logIn(facebook: identity, from: credential, code, askCode, backend)
        } catch {
            keepPending(error.pendingToken, User(), by: .facebook)
            throw explainTakenAddress(explainUnverified(error), credential)
        }
        let name = logIn.user.displayName ?? ""
        try keep(
            logIn, by: .facebook, replacing: earlier, done: "the log-in as '\(name)' succeeded",
            again: "--facebook\(credential.options)")
        guard let profile, fills, logIn.createdAccount ?? true else {
            return result(of: logIn, filled: fills ? [] : nil)
        }
        var active = ActiveSession(session: logIn.session, user: logIn.user, source: .file, way: .facebook)
        let filled = fill(&active, from: profile)
        return LogInResult(
            user: active.user, session: active.session, createdAccount: logIn.createdAccount, pending: nil,
            filled: filled)
    }

    private func logIn(
        facebook identity: FacebookIdentity, from credential: FacebookCredential, _ code: Secret?,
        _ askCode: () throws(AuthError) -> Secret?, _ backend: any FacebookLinking
    ) throws(AuthError) -> NewSession {
        let activity = "log in with Facebook"
        do throws(AuthError) {
            if let code { return try logIn(facebook: identity, code, else: activity) }
            return try asked(activity) { () throws(AuthError) in try backend.logIn(facebook: identity) }
        } catch {
            guard code == nil, error.reason == .secondFactorRequired else { throw error }
            let command = "authctl login\(givenOptions) --facebook\(credential.options) --otp CODE"
            // A code that is asked for now would come with the same token, and sites take those only once.
            if case .idToken = identity.proof {
                throw error.hinting("give the one-time code, or a recovery code, with a new token: \(command)")
            }
            if backend is any FacebookSecondFactor, let asked = try askCode() {
                return try logIn(facebook: identity, asked, else: activity)
            }
            throw error.hinting("give the one-time code, or a recovery code: \(command)")
        }
    }

    private func logIn(
        facebook identity: FacebookIdentity, _ code: Secret, else activity: String
    ) throws(AuthError) -> NewSession {
        let backend = try facebookSecondFactor()
        return try asked(activity) { () throws(AuthError) in try backend.logIn(facebook: identity, code: code) }
    }

    private func facebookSecondFactor() throws(AuthError) -> any FacebookSecondFactor {
        try ability((any FacebookSecondFactor).self, to: "take one-time codes with Facebook")
    }

    func facebookLinking() throws(AuthError) -> any FacebookLinking {
        try ability((any FacebookLinking).self, to: "link Facebook identities")
    }

    /// Nobody is sent to a browser for a session that is dead.
    private func usableSession(before credential: FacebookCredential) throws(AuthError) -> ActiveSession {
        var active = try activeSession()
        if active.source == .file { try store.prepare() }
        if case .device = credential.way { active.user = try owner(of: &active) }
        return active
    }

    /// Somebody may have logged in to another account while Facebook was asked; whoever asked it meant this one.
    ///
    /// - Parameter active: the session from before; the newest one of the same account takes its place.
    func requireSameAccount(_ active: inout ActiveSession) throws(AuthError) {
        var newest = try activeSession()
        if newest.session.token != active.session.token {
            guard let id = active.user.id, try owner(of: &newest).id == id else {
                throw AuthError(
                    .cancelled, "somebody logged in to another account meanwhile",
                    hint: "run the command again if that is the account you mean")
            }
        }
        active = newest
    }

    private func owner(of active: inout ActiveSession) throws(AuthError) -> User {
        let backend = try backend
        return try ask("asking who that is", with: &active) { session throws(AuthError) in
            try backend.currentUser(session)
        }
    }

    func facebookStatus(
        _ active: inout ActiveSession, _ backend: any FacebookLinking, else failure: String
    ) throws(AuthError) -> FacebookStatus {
        try asked(&active, "asking for the link", else: failure, \.user) { session throws(AuthError) in
            try backend.facebookStatus(of: session)
        }
    }

    func changeFacebook(
        _ active: inout ActiveSession, _ activity: String, else failure: String,
        _ request: (Session) throws(AuthError) -> Reply<FacebookChange>
    ) throws(AuthError) -> FacebookChange {
        try asked(&active, activity, else: failure, \.status.user, request)
    }

    /// Asks, and keeps the user as they are known then.
    private func asked<Value>(
        _ active: inout ActiveSession, _ activity: String, else failure: String, _ user: (Value) -> User,
        _ request: (Session) throws(AuthError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        let before = active
        do throws(AuthError) {
            let value = try ask(activity, with: &active, request)
            active.user = user(value)
            keep(active, insteadOf: before)
            return value
        } catch {
            throw explain(error, failure: failure, done: "\(activity) succeeded")
        }
    }

    /// At the log-in: an account with the address that Facebook told was there before, and only its owner can link it;
    /// or Facebook told none, and the server wants one.
    private func explainTakenAddress(_ error: AuthError, _ credential: FacebookCredential) -> AuthError {
        if error.reason == .invalidFields {
            return error.hinting(
                "make an account with an address, then link it: authctl link-facebook\(givenOptions)\(credential.options)"
            )
        }
        guard error.reason == .emailTaken else { return error }
        var error = error
        error.hint =
            "is that account yours? log in to it, then link it: authctl login\(givenOptions) USERNAME, then "
            + "authctl link-facebook\(givenOptions)\(credential.options)"
        return error
    }

    private func explainConflict(_ error: AuthError, _ credential: FacebookCredential) -> AuthError {
        guard error.reason == .identityTaken else { return error }
        return error.hinting(
            "is it yours? log in with it: authctl login\(givenOptions) --facebook\(credential.options)")
    }
}

extension FacebookCredential {
    /// As they would be typed again.
    fileprivate var options: String {
        let way =
            switch way {
            case .given(.accessToken): " --token-file FILE"
            case .given(.idToken): " --id-token-file FILE"
            case .device: ""
            }
        return way + (id.map { " --facebook-id \($0.shellQuoted)" } ?? "")
    }
}
