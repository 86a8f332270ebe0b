import AuthModel
import JSON

/// Source: REST reference, "Facebook" and "Link (Facebook)"; unlinking as in Kii's SDKs.
extension KiiBackend: FacebookLinking {
    /// The id tells whether the same identity is linked already.
    var facebookTraits: FacebookTraits { FacebookTraits(needsID: true, takesIDTokens: false) }

    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus> {
        Reply(try status(session))
    }

    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        let before = try status(session)
        if let id = before.link.id, id == identity.id {
            return Reply(FacebookChange(before: before.link, status: before))
        }
        _ = try send(endpoints.linkFacebook(try identity.accessToken(at: "Kii"), session), .linkFacebook)
        return Reply(FacebookChange(before: before.link, status: status(try me(session))))
    }

    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange> {
        let before = try status(session)
        do throws(AuthError) {
            _ = try send(endpoints.unlinkFacebook(session), .unlinkFacebook)
        } catch {
            guard error.server?.code == "USER_NOT_LINKED" else { throw error }
        }
        return Reply(FacebookChange(before: before.link, status: try status(session)))
    }

    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<NewSession> {
        let payload = try send(endpoints.logIn(facebook: try identity.accessToken(at: "Kii")), .logInWithFacebook)
        return Reply(try logIn(from: payload, User()))
    }

    private func status(_ session: Session) throws(AuthError) -> FacebookStatus { status(try me(session)) }

    private func status(_ user: JSONObject) -> FacebookStatus {
        FacebookStatus(
            user: KiiPayloads.me(user), link: KiiPayloads.facebookLink(user),
            hasOtherLoginMethod: KiiPayloads.hasOtherLoginMethod(user))
    }
}
