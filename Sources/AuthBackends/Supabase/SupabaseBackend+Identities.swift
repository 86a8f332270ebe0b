import AuthModel
import JSON
import Platform

/// Source: the exchanges `open/id-token-…`, `open/link-…`, `open/unlink-…` and `open/pkce-…` in
/// `Tests/Exchanges/supabase`.
extension SupabaseBackend {
    var usesIdentityIDs: Bool { false }

    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> {
        let user = SupabasePayloads.user(try send(endpoints.user(session.token, .listIdentities)))
        // A password is no identity. Source: the exchange `live/unlink-last-with-password`.
        return Reply(IdentityStatus(user: user, keepsLast: true))
    }

    /// A version that cannot link ignores the session, and logs in or creates an account. Only newer versions have a
    /// key set.
    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let token = try Self.idToken(credential)
        let before = try identities(of: session).value
        do throws(BackendError) {
            try send(endpoints.keySet)
        } catch {
            guard error.server?.status == 404 else { throw error }
            throw BackendError(
                .unsupported, "this version of Supabase Auth cannot link identities by an ID token",
                next: "update the server, or link the identity in the browser", server: error.server)
        }
        let link = before.link(to: credential.provider)
        let new: NewSession
        do throws(BackendError) {
            let request = endpoints.logIn(
                credential.provider, idToken: token, accessToken: credential.proof.accessToken, nonce: credential.nonce,
                linkingTo: session)
            new = try logIn(request).new
        } catch {
            // Only the text tells whether the identity is this account's own. Source: `open/link-id-token-again`.
            guard error.reason == .identityTaken, link != .none,
                error.server?.message?.holds("another user") == false
            else { throw error }
            return Reply(IdentityChange(before: link, after: link.startingWith(credential.id), user: before.user))
        }
        // `try?`: the response has another session, which is not used.
        _ = try? send(endpoints.logOut(new.session.token))
        guard new.user.id == before.user.id else {
            throw BackendError(
                .identityTaken,
                "the server did not link the identity, but logged in to another account, which it may have created")
        }
        // The response has the identities from before. `try?`: the identity is linked, even if it cannot be listed.
        let after = try? identities(of: session).value
        let user = after?.user ?? before.user
        return Reply(
            IdentityChange(
                before: link,
                after: after?.link(to: credential.provider).startingWith(credential.id) ?? .linked(id: credential.id),
                user: user))
    }

    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let payload = try send(endpoints.user(session.token, .listIdentities))
        let rows = SupabasePayloads.rows(payload) ?? []
        for row in rows where row.identity.provider == provider.name {
            try ignoringMissing { () throws(BackendError) in try send(endpoints.unlink(row.id, session)) }
        }
        var user = SupabasePayloads.user(payload)
        user.identities = rows.map(\.identity).filter { $0.provider != provider.name }
        return Reply(IdentityChange(before: rows.map(\.identity).link(to: provider), after: .none, user: user))
    }

    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        // The response does not show whether the account is new.
        Reply(try LogInOutcome(try newSession(credential)).created(nil))
    }

    private func newSession(_ credential: IdentityCredential) throws(BackendError) -> NewSession {
        switch credential.proof {
        case .code(let code, _, let verifier?):
            return try logIn(endpoints.logIn(code: code, verifier: verifier)).new
        case .code:
            throw BackendError(
                .usage, "the server requires the code verifier of the code", next: "add --code-verifier-file FILE")
        default:
            let request = endpoints.logIn(
                credential.provider, idToken: try Self.idToken(credential), accessToken: credential.proof.accessToken,
                nonce: credential.nonce, linkingTo: nil)
            return try logIn(request).new
        }
    }

    private static func idToken(_ credential: IdentityCredential) throws(BackendError) -> Secret {
        if let token = credential.proof.idToken { return token }
        try credential.require([.idToken], at: "Supabase")
        throw BackendError(.internal, "no ID token")
    }
}
