package import AuthModel

/// Links an identity to the account, and reports the linked identities.
package struct Link: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    package func status() throws(AuthError) -> IdentityStatus {
        let backend = try client.backends.connect()
        var active = try sessions.current()
        return try sessions.identities(&active, backend, else: "cannot check which identities are linked")
    }

    /// Links an identity. Some servers replace a previously linked identity of the same provider.
    ///
    /// - Parameter fills: whether to fill empty fields of the account from the provider's profile.
    /// - Returns: the change, and the fields that were filled; `nil` if filling was not requested, or if no profile was
    ///   obtained.
    package func run(
        _ source: any IdentitySource, fills: Bool = false
    ) throws(AuthError) -> (change: IdentityChange, filled: [String]?) {
        let backend = try client.backends.connect()
        let fillUser = FillUser(client: client)
        if fills { try fillUser.requireSupport() }
        var active = try sessionToLink(source)
        let failure = "cannot link the \(source.provider.title) identity"
        let (credential, profile) = try failing(as: failure, unless: .usage) { () throws(AuthError) in
            let found = try source.credential(for: backend, client, wantsProfile: fills)
            try sessions.requireSameUser(&active)
            return found
        }
        let change: IdentityChange
        do throws(AuthError) {
            var isProofSent = false
            change = try sessions.send("linking", with: &active, else: failure, \.user) {
                session throws(BackendError) in
                // Some proofs are valid only once, so no proof is sent again after a refresh of the session.
                if isProofSent { throw .proofIsUsed }
                do throws(BackendError) {
                    return try backend.link(credential, to: session)
                } catch {
                    isProofSent = error.usedProof && error.reason != .reauthenticationRequired
                    throw error
                }
            }
        } catch {
            guard error.reason == .identityTaken else { throw error }
            throw error.suggesting(
                NextStep(
                    "if that account is yours, log in with \(source.provider.title)",
                    run: ["login"] + source.loginArguments))
        }
        if let id = change.replacedID {
            client.events.note("replaced the link to \(source.provider.title) identity '\(id)'")
        }
        return (change, fills ? profile.map { fillUser.run(&active, from: $0) } : nil)
    }

    /// Returns the current session. Checks it with the server if the user must log in to the provider next.
    private func sessionToLink(_ source: any IdentitySource) throws(AuthError) -> ActiveSession {
        var active = try sessions.current()
        if active.source == .file { try sessions.requireWritable() }
        if source.isInteractive { active.user = try sessions.fetchUser(with: &active) }
        return active
    }
}

extension BackendError {
    fileprivate static let proofIsUsed = BackendError(
        .sessionExpired, "the session was rejected and then refreshed, but a proof is sent only once",
        next: "run the command again with a new token or code")
}
