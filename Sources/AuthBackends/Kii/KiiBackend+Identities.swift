import AuthModel
import JSON

/// Source: REST reference, "Facebook" and "Link (Facebook)"; for unlinking, Kii's SDKs.
extension KiiBackend {
    /// No request contains the id, but `link` compares it with the id of the linked identity.
    var usesIdentityIDs: Bool { true }

    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> { Reply(try status(session)) }

    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let (provider, token) = try accessToken(credential)
        let before = try status(session)
        let link = before.link(to: credential.provider)
        if let id = link.id, id == credential.id {
            return Reply(IdentityChange(before: link, after: link, user: before.user))
        }
        try send(endpoints.link(provider, token, session))
        return Reply(try change(from: before, credential.provider, session))
    }

    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let kiiProvider = try KiiProvider(provider)
        let before = try status(session)
        do throws(BackendError) {
            try send(endpoints.unlink(kiiProvider, session))
        } catch {
            guard error.server?.code == "USER_NOT_LINKED" else { throw error }
        }
        return Reply(try change(from: before, provider, session))
    }

    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        let (provider, token) = try accessToken(credential)
        return Reply(try LogInOutcome(try logIn(from: try send(endpoints.logIn(provider, token)), User())))
    }

    private func accessToken(_ credential: IdentityCredential) throws(BackendError) -> (KiiProvider, Secret) {
        let provider = try KiiProvider(credential.provider)
        try credential.require([.accessToken], at: "Kii Cloud")
        guard let token = credential.proof.accessToken else { throw BackendError(.internal, "no access token") }
        return (provider, token)
    }

    private func status(_ session: Session) throws(BackendError) -> IdentityStatus {
        let user = try me(session)
        return IdentityStatus(user: KiiPayloads.me(user), hasPassword: KiiPayloads.hasPassword(user))
    }

    private func change(
        from before: IdentityStatus, _ provider: IdentityProvider, _ session: Session
    ) throws(BackendError) -> IdentityChange {
        let after = try status(session)
        return IdentityChange(before: before.link(to: provider), after: after.link(to: provider), user: after.user)
    }
}
