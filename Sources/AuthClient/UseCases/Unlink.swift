package import AuthModel

/// Unlinks the identities of a provider from the account.
package struct Unlink: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// - Parameters:
    ///   - force: whether to unlink even if the account may have no other login method.
    ///   - prepare: called with the account's link to the provider, before the request that removes the link.
    /// - Throws: `AuthError` `forbidden` if `force` is false, an identity may be linked, and the account may have no
    ///   other login method.
    package func run(
        _ provider: IdentityProvider, force: Bool, prepare: ((IdentityLink) throws(AuthError) -> Void)? = nil
    ) throws(AuthError) -> IdentityChange {
        let backend = try client.backends.connect()
        let failure = "cannot unlink the \(provider.title) identity"
        var active = try sessions.current()
        if active.source == .file { try sessions.requireWritable() }
        if !force || prepare != nil {
            let status = try sessions.identities(&active, backend, else: failure)
            try failing(as: failure, unless: .usage) { () throws(AuthError) in
                if !force { try requireOtherMethod(status, provider, active) }
                if let prepare {
                    try prepare(status.link(to: provider))
                    try sessions.requireSameUser(&active)
                }
            }
        }
        return try sessions.send("unlinking", with: &active, else: failure, \.user) { session throws(BackendError) in
            try backend.unlink(provider, from: session)
        }
    }

    private func requireOtherMethod(_ status: IdentityStatus, _ provider: IdentityProvider, _ active: ActiveSession)
        throws(AuthError)
    {
        guard status.link(to: provider) != .none else { return }
        let hasOther = status.hasLoginMethod(besides: provider)
        // If the server does not report other methods, a login with a password proves that the account has a password.
        if hasOther ?? (active.method == .password && !status.keepsLast) { return }
        let address: [String] = .argument(status.user.email ?? "ADDRESS")
        let steps: [NextStep] =
            status.keepsLast
            ? [.linkAnother]
            : [
                NextStep("set a password first", run: ["password", "reset"] + address),
                "to unlink it anyway, add --force",
            ]
        throw AuthError(
            .forbidden,
            "it \(hasOther == nil ? "may be" : "is") the account's last authentication method",
            nextSteps: steps)
    }
}
