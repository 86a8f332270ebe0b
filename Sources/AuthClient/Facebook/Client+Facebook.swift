package import AuthModel

/// What became of an account that was linked or unlinked.
package struct FacebookResult: Sendable, Equatable {
    package let change: FacebookChange
    /// The fields that were filled in; `nil`: nobody wanted that.
    package let filled: [String]?
    /// Whether the app's permissions at Facebook were withdrawn, too.
    package let isWithdrawn: Bool

    package init(change: FacebookChange, filled: [String]? = nil, isWithdrawn: Bool = false) {
        self.change = change
        self.filled = filled
        self.isWithdrawn = isWithdrawn
    }
}

extension Client {
    /// The Facebook identity that the account is linked with.
    package func facebookLink() throws(AuthError) -> FacebookLink {
        try facebookStatus(try facebookLinking(), else: "cannot tell whether a Facebook identity is linked").link
    }

    /// Links the account with a Facebook identity, in the place of the one linked before.
    ///
    /// - Parameter fills: whether what Facebook tells of the user fills empty fields of the account.
    package func linkFacebook(_ credential: FacebookCredential, fills: Bool) throws(AuthError) -> FacebookResult {
        let backend = try facebookLinking()
        if fills { _ = try userFilling() }
        try requireUsableSession(before: credential)
        let (identity, profile): (FacebookIdentity, FacebookProfile?)
        let failure = "cannot link the Facebook identity"
        do throws(AuthError) {
            (identity, profile) = try self.identity(from: credential, for: backend, wantsProfile: fills)
        } catch {
            throw error.outcome == .usage ? error : error.explaining(failure)
        }
        let change: FacebookChange
        do throws(AuthError) {
            change = try changeFacebook("linking", else: failure) { session throws(AuthError) in
                try backend.linkFacebook(identity, to: session)
            }
        } catch {
            throw explainConflict(error, credential)
        }
        if let id = change.replacedID {
            events.note("the account was linked with Facebook identity '\(id)' before; that link is gone")
        }
        guard fills, let profile else { return FacebookResult(change: change) }
        var active = try activeSession()
        return FacebookResult(change: change, filled: fill(&active, from: profile))
    }

    /// Starts a session with a Facebook identity; the account is made if there is none.
    ///
    /// - Parameters:
    ///   - fills: whether what Facebook tells of the user fills empty fields of an account that is new.
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
        let logIn: LogIn
        do throws(AuthError) {
            logIn = try self.logIn(facebook: identity, code, askCode, backend)
        } catch {
            keepPending(error.pendingToken, User())
            throw explainTakenAddress(explainUnverified(error), credential)
        }
        let name = logIn.user.displayName ?? ""
        try keep(logIn, by: .facebook, replacing: earlier, done: "the log-in as '\(name)' succeeded", login: name)
        guard let profile, fills, logIn.createdAccount || !backend.facebookTraits.tellsNewAccounts else {
            return result(of: logIn, filled: fills ? [] : nil)
        }
        var active = ActiveSession(session: logIn.session, user: logIn.user, source: .file, way: .facebook)
        let filled = fill(&active, from: profile)
        return LogInResult(
            user: active.user, session: active.session, createdAccount: logIn.createdAccount, pending: nil,
            filled: filled)
    }

    private func logIn(
        facebook identity: FacebookIdentity, _ code: Secret?, _ askCode: () throws(AuthError) -> Secret?,
        _ backend: any FacebookLinking
    ) throws(AuthError) -> LogIn {
        let activity = "log in with Facebook"
        do throws(AuthError) {
            if let code { return try logIn(facebook: identity, code, else: activity) }
            return try asked(activity) { () throws(AuthError) in try backend.logIn(facebook: identity) }
        } catch {
            guard code == nil, error.reason == .secondFactorRequired else { throw error }
            if backend is any FacebookSecondFactor, let asked = try askCode() {
                return try logIn(facebook: identity, asked, else: activity)
            }
            throw error.hinting(
                "give the one-time code, or a recovery code: authctl login\(givenOptions) --facebook --otp CODE")
        }
    }

    private func logIn(
        facebook identity: FacebookIdentity, _ code: Secret, else activity: String
    ) throws(AuthError) -> LogIn {
        let backend = try facebookSecondFactor()
        return try asked(activity) { () throws(AuthError) in try backend.logIn(facebook: identity, code: code) }
    }

    private func facebookSecondFactor() throws(AuthError) -> any FacebookSecondFactor {
        try ability((any FacebookSecondFactor).self, to: "take one-time codes with Facebook")
    }

    private func facebookLinking() throws(AuthError) -> any FacebookLinking {
        try ability((any FacebookLinking).self, to: "link Facebook identities")
    }

    /// Nobody is sent to a browser for a session that is dead.
    private func requireUsableSession(before credential: FacebookCredential) throws(AuthError) {
        var active = try activeSession()
        if active.source == .file { try store.prepare() }
        guard case .device = credential.way else { return }
        let backend = try backend
        _ = try ask("asking who that is", with: &active) { session throws(AuthError) in
            try backend.currentUser(session)
        }
    }

    private func facebookStatus(
        _ backend: any FacebookLinking, else failure: String
    ) throws(AuthError) -> FacebookStatus {
        var active = try activeSession()
        let before = active
        do throws(AuthError) {
            let status = try ask("asking for the link", with: &active) { session throws(AuthError) in
                try backend.facebookStatus(of: session)
            }
            keep(status.user, in: active, insteadOf: before)
            return status
        } catch {
            throw error.explaining(failure)
        }
    }

    private func changeFacebook(
        _ activity: String, else failure: String, _ request: (Session) throws(AuthError) -> Reply<FacebookChange>
    ) throws(AuthError) -> FacebookChange {
        var active = try activeSession()
        if active.source == .file { try store.prepare() }
        let before = active
        do throws(AuthError) {
            let change = try ask(activity, with: &active, request)
            keep(change.status.user, in: active, insteadOf: before)
            return change
        } catch {
            throw error.explaining(failure)
        }
    }

    func keep(_ user: User, in active: ActiveSession, insteadOf before: ActiveSession) {
        var current = active
        current.user = user
        keep(current, insteadOf: before)
    }

    /// At the log-in: an account with the address that Facebook told was there before, and only its owner can link it.
    private func explainTakenAddress(_ error: AuthError, _ credential: FacebookCredential) -> AuthError {
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

// MARK: - Unlinking

extension Client {
    /// Takes the Facebook identity away from the account.
    ///
    /// - Parameters:
    ///   - force: also where the account may have no other way to log in.
    ///   - credential: of the same Facebook user, to withdraw the app's permissions at Facebook, too.
    /// - Throws: `AuthError` `forbidden` without `force` if nobody could log in to the account any more.
    package func unlinkFacebook(
        force: Bool, withdrawing credential: FacebookCredential? = nil
    ) throws(AuthError) -> FacebookResult {
        let backend = try facebookLinking()
        let failure = "cannot unlink the Facebook identity"
        var token: Secret?
        if !force || credential != nil {
            let status = try facebookStatus(backend, else: failure)
            do throws(AuthError) {
                if !force { try requireOtherWayIn(status) }
                if let credential { token = try self.token(from: credential, for: backend, status.link) }
            } catch {
                throw error.outcome == .usage ? error : error.explaining(failure)
            }
        }
        let change = try changeFacebook("unlinking", else: failure) { session throws(AuthError) in
            try backend.unlinkFacebook(from: session)
        }
        guard let token else { return FacebookResult(change: change) }
        try withdrawPermissions(token)
        return FacebookResult(change: change, isWithdrawn: true)
    }

    private func requireOtherWayIn(_ status: FacebookStatus) throws(AuthError) {
        guard status.link != .none else { return }
        let way = try activeSession().way
        // Who came with a password has one.
        if status.hasOtherWayIn ?? (way == .password ? true : nil) ?? false { return }
        if status.hasOtherWayIn == nil, way != .facebook {
            events.warn("whether there is another way to log in to the account is not known here")
            return
        }
        let address = (status.user.email ?? "ADDRESS").argumentText
        throw AuthError(
            .forbidden,
            "it \(status.hasOtherWayIn == nil ? "may be" : "is") the last way to log in to the account",
            hint: "set a password first: authctl password reset\(givenOptions) \(address); "
                + "or unlink it all the same, with --force")
    }

    /// A token of the linked user: nobody else's permissions are withdrawn.
    private func token(
        from credential: FacebookCredential, for backend: any FacebookLinking, _ link: FacebookLink
    ) throws(AuthError) -> Secret {
        let (identity, profile) = try identity(from: credential, for: backend, wantsProfile: true)
        guard case .accessToken(let token) = identity.proof else {
            throw AuthError(.usage, "permissions are withdrawn with an access token, not with an ID token")
        }
        if let linked = link.id, let id = profile?.id, linked != id {
            throw AuthError(
                .tokenRefused, "Facebook identity '\(linked)' is linked, and the token is of '\(id)'",
                hint: "log in to Facebook as the user who is linked")
        }
        return token
    }

    private func withdrawPermissions(_ token: Secret) throws(AuthError) {
        do throws(AuthError) {
            try askingFacebook { facebook throws(AuthError) in try facebook.withdrawPermissions(token) }
        } catch {
            let isKnown = error.reason != .outcomeUnknown
            throw error.explaining(
                isKnown
                    ? "the identity is unlinked, but the app's permissions at Facebook were not withdrawn"
                    : "the identity is unlinked; whether the app's permissions at Facebook were withdrawn is not known")
        }
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
