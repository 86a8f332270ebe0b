import AuthModel
import JSON

/// Source: the exchanges `open/idp-…`, `open/link…` and `open/unlink…` in `Tests/Exchanges/firebase`.
extension FirebaseBackend {
    var usesIdentityIDs: Bool { false }

    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> {
        let user = try user(of: session)
        return Reply(
            IdentityStatus(user: FirebasePayloads.whole(user), hasPassword: FirebasePayloads.hasPassword(user)))
    }

    /// The server replaces an earlier identity of the same provider. It reports an identity that is linked already, to
    /// this account or another one, with the same error.
    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let proof = try FirebaseProof(credential)
        let user = FirebasePayloads.whole(try user(of: session))
        let before = user.identities?.link(to: credential.provider) ?? .none
        if let id = credential.id, before.ids.contains(id) {
            return Reply(IdentityChange(before: before, after: before, user: user))
        }
        let payload = try send(endpoints.logIn(proof, session), as: session)
        let new = try self.session(in: payload, .linkIdentity)
        guard payload["localId"]?.string == user.id else {
            throw BackendError(.identityTaken, "the identity belongs to another account")
        }
        // `try?`: the identity is linked, even if the user cannot be requested.
        let now = (try? self.user(new.token)).map(FirebasePayloads.whole)
        let after = now?.identities?.link(to: credential.provider) ?? .linked(id: credential.id)
        return Reply(IdentityChange(before: before, after: after, user: now ?? user), replacement: new)
    }

    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let user = FirebasePayloads.whole(try user(of: session))
        let before = user.identities?.link(to: provider) ?? .none
        guard before != .none else { return Reply(IdentityChange(before: before, after: .none, user: user)) }
        let fields: JSONObject = ["deleteProvider": [.string(FirebaseProof.id(of: provider))]]
        try send(endpoints.update(fields, session.token, .unlinkIdentity), as: session)
        let now = FirebasePayloads.whole(try self.user(of: session))
        return Reply(
            IdentityChange(before: before, after: now.identities?.link(to: provider) ?? .none, user: now))
    }

    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        Reply(try outcome(of: endpoints.logIn(try FirebaseProof(credential))))
    }
}
