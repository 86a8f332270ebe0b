package import AuthModel

/// Unlinks the Facebook identity from the account.
package struct UnlinkFacebook {
    private let client: Client
    private let account: FacebookAccount
    private var sessions: SessionProvider { client.sessions }

    package init(_ client: Client) {
        self.client = client
        account = FacebookAccount(client)
    }

    /// - Parameters:
    ///   - force: whether to unlink even if the account may have no other login method.
    ///   - credential: of the linked Facebook user, to revoke the app's permissions at Facebook, too. If no identity is
    ///     linked any more, any user is accepted, so that a failed revocation can be repeated.
    /// - Throws: `AuthError` `forbidden` without `force` if the account may have no other login method.
    package func run(
        force: Bool, withdrawing credential: FacebookCredential? = nil
    ) throws(AuthError) -> FacebookResult {
        let backend = try account.backend()
        let failure = "cannot unlink the Facebook identity"
        var active = try sessions.current()
        if active.source == .file { try sessions.requireWritable() }
        var withdrawal = Withdrawal.unwanted
        if !force || credential != nil {
            let status = try account.status(&active, backend, else: failure)
            do throws(AuthError) {
                if !force { try requireOtherMethod(status, active) }
                if let credential {
                    withdrawal = try self.withdrawal(by: credential, for: backend, status.link)
                    try account.requireSameUser(&active)
                }
            } catch {
                throw error.outcome == .usage ? error : error.explaining(failure)
            }
        }
        let change = try account.change(&active, "unlinking", else: failure) { session throws(AuthError) in
            try backend.unlinkFacebook(from: session)
        }
        if case .wanted(let token) = withdrawal { try revokePermissions(token) }
        return FacebookResult(
            change: change, isRevoked: withdrawal != .unwanted, wasRevoked: withdrawal == .done)
    }

    /// Whether to revoke the app's permissions at Facebook.
    private enum Withdrawal: Equatable {
        case unwanted
        /// To be revoked with this token of the linked user.
        case wanted(Secret)
        /// Already revoked, as Facebook reports.
        case done
    }

    private func requireOtherMethod(_ status: FacebookStatus, _ active: ActiveSession) throws(AuthError) {
        guard status.link != .none else { return }
        // A user who logged in with a password has one.
        if status.hasOtherLoginMethod ?? (active.method == .password) { return }
        var steps: [NextStep] = ["to unlink it anyway, add --force"]
        if client.backends.has((any PasswordResetting).self) {
            let address: [String] = .argument(status.user.email ?? "ADDRESS")
            steps.insert(NextStep("set a password first", run: ["password", "reset"] + address), at: 0)
        }
        throw AuthError(
            .forbidden,
            "it \(status.hasOtherLoginMethod == nil ? "may be" : "is") the account's last authentication method",
            nextSteps: steps)
    }

    /// Checks that the credential is of the linked user, whose permissions are to be revoked.
    private func withdrawal(
        by credential: FacebookCredential, for backend: any FacebookLinking, _ link: FacebookLink
    ) throws(AuthError) -> Withdrawal {
        let (identity, profile): (FacebookIdentity, FacebookProfile?)
        do throws(AuthError) {
            (identity, profile) = try FacebookIdentification(client)
                .identity(from: credential, for: backend, wantsProfile: true)
        } catch {
            // Facebook's "The user has not authorized the application", as after a revocation without a response.
            if error.reason == .tokenRefused, error.server?.subcode == 458 { return .done }
            throw error
        }
        guard case .accessToken(let token) = identity.proof else {
            throw AuthError(.usage, "revoking permissions requires an access token, not an ID token")
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
