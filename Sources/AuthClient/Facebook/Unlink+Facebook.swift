package import AuthModel

extension Unlink {
    /// Unlinks the Facebook identity, then revokes the app's permissions on Facebook.
    ///
    /// - Parameters:
    ///   - force: whether to unlink even if the account may have no other login method.
    ///   - source: the identity of the linked Facebook user. Any Facebook user is accepted if the server reports no
    ///     linked id, because an earlier run may have unlinked the identity without revoking the permissions.
    /// - Returns: the change, and whether an earlier action had revoked the permissions.
    package func run(
        force: Bool, revokingWith source: FacebookSource
    ) throws(AuthError) -> (change: IdentityChange, wasRevoked: Bool) {
        let backend = try client.backends.connect()
        var token: Secret?
        let change = try run(.facebook, force: force) { link throws(AuthError) in
            token = try tokenToRevoke(from: source, for: backend, link)
        }
        if let token { try revokePermissions(token) }
        return (change, token == nil)
    }

    /// Returns a token of the linked user, with which the app's permissions can be revoked; `nil` if Facebook reports
    /// that they are already revoked.
    private func tokenToRevoke(
        from source: FacebookSource, for backend: any Backend, _ link: IdentityLink
    ) throws(AuthError) -> Secret? {
        let (credential, profile): (IdentityCredential, IdentityProfile?)
        do throws(AuthError) {
            (credential, profile) = try source.credential(for: backend, client, wantsProfile: true)
        } catch {
            // Subcode 458: the app has no permissions, for example because an earlier run has revoked them.
            if error.reason == .tokenRefused, error.server?.subcode == 458 { return nil }
            throw error
        }
        guard let token = credential.proof.accessToken else {
            throw AuthError(.usage, "revoking permissions requires an access token")
        }
        if let id = profile?.id, !link.ids.isEmpty, !link.ids.contains(id) {
            let linked = link.ids.map { "'\($0)'" }.joined(separator: ", ")
            throw AuthError(
                .tokenRefused, "the token belongs to Facebook user '\(id)', but \(linked) is linked",
                next: "log in to Facebook as the linked user")
        }
        return token
    }

    private func revokePermissions(_ token: Secret) throws(AuthError) {
        do throws(AuthError) {
            try client.callFacebook { facebook throws(BackendError) in try facebook.revokePermissions(token) }
        } catch {
            let isKnown = error.reason != .outcomeUnknown
            throw error.explaining(
                isKnown
                    ? "the identity is unlinked, but the app's permissions on Facebook were not revoked"
                    : "the identity is unlinked; the app's permissions on Facebook may not be revoked")
        }
    }
}
