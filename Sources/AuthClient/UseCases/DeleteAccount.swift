package import AuthModel

/// Deletes the account of the session, and the saved session.
package struct DeleteAccount {
    private let client: Client
    private var sessions: SessionProvider { client.sessions }

    package init(_ client: Client) {
        self.client = client
    }

    /// - Parameter confirm: called with the user as the server returns it, before the account is deleted.
    /// - Returns: the deleted user.
    package func run(confirming confirm: (User) throws(AuthError) -> Void) throws(AuthError) -> User {
        let backend = try client.backends.require((any AccountDeleting).self, to: "delete accounts")
        var active = try sessions.current()
        do throws(AuthError) {
            active.user = try sessions.fetchUser("requesting the user", with: &active)
        } catch {
            throw error.explaining("cannot delete the account")
        }
        let user = active.user
        try confirm(user)
        do throws(AuthError) {
            try sessions.send("deleting the account", with: &active) { session throws(AuthError) in
                try backend.deleteAccount(of: user, session)
            }
        } catch {
            let error = error.explaining("cannot delete the account '\(user.displayName ?? "")'")
            guard error.leavesOutcomeOpen else { throw error }
            try requireDeleted(&active, error)
        }
        if active.source == .file {
            try sessions.deleteRevoked(active.session, done: "the account was deleted")
        } else {
            client.events.warn("the session from the environment is no longer valid")
        }
        return user
    }

    /// Without a response, a session that the server accepted before and rejects now tells that the account is gone.
    private func requireDeleted(_ active: inout ActiveSession, _ lost: AuthError) throws(AuthError) {
        do throws(AuthError) {
            _ = try sessions.fetchUser("requesting the user", with: &active)
        } catch {
            if error.reason.meansInvalidSession { return }
            throw lost.replacingSteps(with: NextStep("check whether the account still exists", run: ["whoami"]))
        }
        throw lost.replacingSteps(with: "the account still exists; run the command again")
    }
}

extension AuthError {
    /// Whether the server may have carried out the request.
    var leavesOutcomeOpen: Bool { reason == .outcomeUnknown || isUnreadableSuccess }

    func replacingSteps(with step: NextStep) -> AuthError {
        var error = self
        error.nextSteps = [step]
        return error
    }
}
