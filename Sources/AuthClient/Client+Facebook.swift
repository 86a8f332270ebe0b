package import AuthModel

extension Client {
    /// The Facebook identity that the account is linked with.
    package func facebookLink() throws(AuthError) -> FacebookLink {
        let backend = try facebookLinking()
        var active = try activeSession()
        let before = active
        do throws(AuthError) {
            let status = try ask("asking for the link", with: &active) { session throws(AuthError) in
                try backend.facebookStatus(of: session)
            }
            keep(status.user, in: active, insteadOf: before)
            return status.link
        } catch {
            throw error.explaining("cannot tell whether a Facebook identity is linked")
        }
    }

    /// Links the account with a Facebook identity, in the place of the one linked before.
    package func linkFacebook(_ identity: FacebookIdentity) throws(AuthError) -> FacebookChange {
        let backend = try facebookLinking()
        do throws(AuthError) {
            let change = try changeFacebook("linking", else: "cannot link the Facebook identity") {
                session throws(AuthError) in
                try backend.linkFacebook(identity, to: session)
            }
            if let id = change.replacedID {
                events.note("the account was linked with Facebook identity '\(id)' before; that link is gone")
            }
            return change
        } catch {
            throw explainConflict(error, identity)
        }
    }

    /// Takes the Facebook identity away from the account.
    package func unlinkFacebook() throws(AuthError) -> FacebookChange {
        let backend = try facebookLinking()
        return try changeFacebook("unlinking", else: "cannot unlink the Facebook identity") {
            session throws(AuthError) in
            try backend.unlinkFacebook(from: session)
        }
    }

    private func facebookLinking() throws(AuthError) -> any FacebookLinking {
        try ability((any FacebookLinking).self, to: "link Facebook identities")
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

    private func keep(_ user: User, in active: ActiveSession, insteadOf before: ActiveSession) {
        var current = active
        current.user = user
        keep(current, insteadOf: before)
    }

    /// At the log-in: an account with the address that Facebook told was there before, and only its owner can link it.
    func explainTakenAddress(_ error: AuthError, _ identity: FacebookIdentity) -> AuthError {
        guard error.reason == .emailTaken else { return error }
        var error = error
        error.hint =
            "is that account yours? log in to it, then link it: authctl login\(givenOptions) USERNAME, then "
            + "authctl link-facebook\(givenOptions) --token-file FILE\(identity.idOption)"
        return error
    }

    private func explainConflict(_ error: AuthError, _ identity: FacebookIdentity) -> AuthError {
        guard error.reason == .identityTaken else { return error }
        return error.hinting(
            "is it yours? log in with it: authctl login\(givenOptions) --facebook --token-file FILE\(identity.idOption)"
        )
    }
}

extension FacebookIdentity {
    /// What names it in a command to copy.
    fileprivate var idOption: String { id.map { " --facebook-id \($0.shellQuoted)" } ?? "" }
}
