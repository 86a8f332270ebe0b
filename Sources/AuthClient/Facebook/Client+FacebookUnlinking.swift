package import AuthModel

extension Client {
    /// Takes the Facebook identity away from the account.
    ///
    /// - Parameters:
    ///   - force: also where the account may have no other way to log in.
    ///   - credential: of the linked Facebook user, to withdraw the app's permissions at Facebook, too. Where nothing is
    ///     linked any more, it is its own user's, so that a withdrawal that failed can be made up for.
    /// - Throws: `AuthError` `forbidden` without `force` if nobody may be able to log in to the account any more.
    package func unlinkFacebook(
        force: Bool, withdrawing credential: FacebookCredential? = nil
    ) throws(AuthError) -> FacebookResult {
        let backend = try facebookLinking()
        let failure = "cannot unlink the Facebook identity"
        var active = try activeSession()
        if active.source == .file { try store.prepare() }
        var withdrawal = Withdrawal.unwanted
        if !force || credential != nil {
            let status = try facebookStatus(&active, backend, else: failure)
            do throws(AuthError) {
                if !force { try requireOtherWayIn(status, active) }
                if let credential {
                    withdrawal = try self.withdrawal(by: credential, for: backend, status.link)
                    try requireSameAccount(&active)
                }
            } catch {
                throw error.outcome == .usage ? error : error.explaining(failure)
            }
        }
        let change = try changeFacebook(&active, "unlinking", else: failure) { session throws(AuthError) in
            try backend.unlinkFacebook(from: session)
        }
        if case .wanted(let token) = withdrawal { try withdrawPermissions(token) }
        return FacebookResult(
            change: change, isWithdrawn: withdrawal != .unwanted, wasWithdrawn: withdrawal == .done)
    }

    /// Whether what the app is allowed at Facebook is to be withdrawn.
    private enum Withdrawal: Equatable {
        case unwanted
        /// By this token of the linked user.
        case wanted(Secret)
        /// Facebook says that it has been.
        case done
    }

    private func requireOtherWayIn(_ status: FacebookStatus, _ active: ActiveSession) throws(AuthError) {
        guard status.link != .none else { return }
        // Who came with a password has one.
        if status.hasOtherWayIn ?? (active.way == .password) { return }
        let address = (status.user.email ?? "ADDRESS").argumentText
        throw AuthError(
            .forbidden,
            "it \(status.hasOtherWayIn == nil ? "may be" : "is") the last way to log in to the account",
            hint: "set a password first: authctl password reset\(givenOptions) \(address); "
                + "or unlink it all the same, with --force")
    }

    /// Nobody else's permissions are withdrawn than those of the linked user.
    private func withdrawal(
        by credential: FacebookCredential, for backend: any FacebookLinking, _ link: FacebookLink
    ) throws(AuthError) -> Withdrawal {
        let (identity, profile): (FacebookIdentity, FacebookProfile?)
        do throws(AuthError) {
            (identity, profile) = try self.identity(from: credential, for: backend, wantsProfile: true)
        } catch {
            // "The user has not authorized the application", as after a withdrawal whose answer was lost.
            if error.reason == .tokenRefused, error.server?.subcode == 458 { return .done }
            throw error
        }
        guard case .accessToken(let token) = identity.proof else {
            throw AuthError(.usage, "permissions are withdrawn with an access token, not with an ID token")
        }
        if let id = profile?.id, !link.ids.isEmpty, !link.ids.contains(id) {
            let linked = link.ids.map { "'\($0)'" }.joined(separator: ", ")
            throw AuthError(
                .tokenRefused, "the token is of Facebook user '\(id)', and linked is \(linked)",
                hint: "log in to Facebook as the user who is linked")
        }
        return .wanted(token)
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
