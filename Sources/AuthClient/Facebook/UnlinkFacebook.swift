package import AuthModel

/// Unlinks the Facebook identity, then revokes the permissions of the app at Facebook.
package struct UnlinkFacebook {
    private let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// The result of unlinking and revoking.
    package struct Result: Sendable, Equatable {
        package let change: IdentityChange
        /// Whether the permissions were revoked before this command.
        package let wasRevoked: Bool
    }

    /// - Parameters:
    ///   - force: whether to unlink even if the account may have no other login method.
    ///   - source: of the linked Facebook user. If no identity is linked any more, any user is accepted, so that a failed
    ///     revocation can be repeated.
    package func run(force: Bool, revokingWith source: FacebookSource) throws(AuthError) -> Result {
        let backend = try IdentityAccount(client).backend()
        var revocation = Revocation.done
        let change = try Unlink(client).run(.facebook, force: force) { link throws(AuthError) in
            revocation = try self.revocation(by: source, for: backend, link)
        }
        if case .wanted(let token) = revocation { try revokePermissions(token) }
        return Result(change: change, wasRevoked: revocation == .done)
    }

    /// Whether to revoke the app's permissions at Facebook.
    private enum Revocation: Equatable {
        /// To be revoked with this token of the linked user.
        case wanted(Secret)
        /// Already revoked, as Facebook reports.
        case done
    }

    /// Checks that the token is of the linked user, whose permissions are to be revoked.
    private func revocation(
        by source: FacebookSource, for backend: any IdentityLinking, _ link: IdentityLink
    ) throws(AuthError) -> Revocation {
        let (credential, profile): (IdentityCredential, IdentityProfile?)
        do throws(AuthError) {
            (credential, profile) = try source.credential(for: backend, client, wantsProfile: true)
        } catch {
            // Facebook's "The user has not authorized the application", as after a revocation without a response.
            if error.reason == .tokenRefused, error.server?.subcode == 458 { return .done }
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
        return .wanted(token)
    }

    private func revokePermissions(_ token: Secret) throws(AuthError) {
        do throws(AuthError) {
            try client.callFacebook { facebook throws(AuthError) in try facebook.revokePermissions(token) }
        } catch {
            let isKnown = error.reason != .outcomeUnknown
            throw error.explaining(
                isKnown
                    ? "the identity is unlinked, but the app's permissions on Facebook were not revoked"
                    : "the identity is unlinked; the app's permissions on Facebook may not be revoked")
        }
    }
}
