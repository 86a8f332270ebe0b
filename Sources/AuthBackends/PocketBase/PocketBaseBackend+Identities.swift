import AuthModel
import JSON

/// Source: the exchanges `oauth2/…` in `Tests/Exchanges/pocketbase`.
extension PocketBaseBackend {
    var usesIdentityIDs: Bool { false }

    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> {
        var user = PocketBasePayloads.user(try record(of: session))
        user.identities = try rows(of: session).map(\.identity)
        return Reply(IdentityStatus(user: user))
    }

    /// If the identity belongs to another account, the response has a session of that account. It is not used.
    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let proof = try Proof(credential)
        // Without a valid session, the request would log in or create an account.
        let before = try identities(of: session).value
        let new = try newSession(try answer(credential, proof, session))
        guard new.user.id == before.user.id else {
            throw BackendError(.identityTaken, "the identity belongs to another account")
        }
        // The user's id at the provider. `try?`: the identity is linked, even if it cannot be listed.
        let after = (try? rows(of: session).map(\.identity)) ?? []
        var user = new.user
        user.identities = after.isEmpty ? nil : after
        let link = before.link(to: credential.provider)
        return Reply(
            IdentityChange(
                before: link, after: after.isEmpty ? .linked(id: nil) : after.link(to: credential.provider),
                user: user))
    }

    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange> {
        var user = PocketBasePayloads.user(try record(of: session))
        let rows = try rows(of: session)
        for row in rows where row.identity.provider == provider.name {
            try ignoringMissing { () throws(BackendError) in try send(endpoints.unlink(id: row.id, session)) }
        }
        user.identities = rows.map(\.identity).filter { $0.provider != provider.name }
        return Reply(
            IdentityChange(before: rows.map(\.identity).link(to: provider), after: .none, user: user))
    }

    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        let response = try answer(credential, try Proof(credential), nil)
        return Reply(try outcome(of: response) { () throws(BackendError) in try newSession(response) })
    }

    private func answer(
        _ credential: IdentityCredential, _ proof: Proof, _ session: Session?
    ) throws(BackendError) -> ServerResponse {
        let request = endpoints.logIn(
            credential.provider, code: proof.code, redirectURI: proof.redirectURI, verifier: proof.verifier, session)
        return try server.response(to: request)
    }

    private func newSession(_ response: ServerResponse) throws(BackendError) -> NewSession {
        do throws(BackendError) {
            var (new, payload) = try explaining("oauth2") { () throws(BackendError) in try session(in: response) }
            for name in ["accessToken", "refreshToken"] { _ = Secret(token: payload["meta"]?[name], masker) }
            // Only PocketBase 0.28 and later say whether the account is new.
            new.createdAccount = payload["meta"]?["isNew"]?.bool
            return new
        } catch {
            guard error.reason == .unsupported, error.nextSteps.isEmpty, let methods = try? methods() else {
                throw error
            }
            var error = error
            let names = PocketBasePayloads.site(methods).providers.map { "'\($0.name)'" }
            if !names.isEmpty { error.nextSteps = [NextStep("it accepts \(names.joined(separator: ", "))")] }
            throw error
        }
    }

    private func rows(of session: Session) throws(BackendError) -> [(id: String, identity: Identity)] {
        (try send(endpoints.identities(session))["items"]?.array ?? []).compactMap(\.object)
            .compactMap(PocketBasePayloads.identity)
    }
}

/// An authorization code, with the values that it was requested with.
private struct Proof {
    let code: Secret
    let redirectURI: String
    let verifier: Secret?

    init(_ credential: IdentityCredential) throws(BackendError) {
        try credential.require([.code], at: "PocketBase")
        guard case .code(let code, let redirectURI?, let verifier) = credential.proof else {
            throw BackendError(
                .usage, "a PocketBase server requires the redirect URI of the code", next: "add --redirect-uri URI")
        }
        (self.code, self.redirectURI, self.verifier) = (code, redirectURI, verifier)
    }
}
