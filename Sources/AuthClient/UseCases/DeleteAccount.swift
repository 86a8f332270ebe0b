package import AuthModel

/// Deletes the account of the current session, then the saved session.
package struct DeleteAccount: UseCase {
    let client: Client
    private let backend: any AccountDeleting

    /// - Throws: `AuthError` `unsupported` if the backend cannot delete accounts.
    package init(_ client: Client) throws(AuthError) {
        self.client = client
        do throws(AuthError) {
            backend = try client.backends.require((any AccountDeleting).self, to: "delete accounts")
        } catch {
            guard error.reason == .unsupported, client.backends.has((any Administering).self) else { throw error }
            throw error.suggesting(
                NextStep(
                    "accounts that 'users create' made can be deleted with the administrator's key",
                    run: ["users", "delete", "--journal", "FILE", "--admin-key-file", "FILE"]))
        }
    }

    /// - Parameter confirm: called with the user from the server, before the account is deleted.
    /// - Returns: the deleted user.
    package func run(confirming confirm: (User) throws(AuthError) -> Void) throws(AuthError) -> User {
        var active = try sessions.current()
        active.user = try failing(as: "cannot delete the account") { () throws(AuthError) in
            try sessions.fetchUser(with: &active)
        }
        let user = active.user
        try confirm(user)
        do throws(AuthError) {
            try sessions.send("deleting the account", with: &active) { session throws(BackendError) in
                try backend.deleteAccount(of: user, session)
            }
        } catch {
            let error = error.explaining("cannot delete the account '\(user.displayName ?? "")'")
            guard error.leavesOutcomeOpen else { throw error }
            throw error.replacingSteps(with: stepAfterLoss(&active))
        }
        if active.source == .file {
            try sessions.deleteRevoked(active.session, done: "the account was deleted")
        } else {
            client.events.warn("the session from the environment is no longer valid")
        }
        deleteOtherSessions(of: user)
        return user
    }

    /// Deletes the user's other saved sessions, because the server has revoked them.
    private func deleteOtherSessions(of user: User) {
        // `try?`: a session that cannot be deleted is harmless, because the server rejects it.
        guard let id = user.id, let store = try? sessions.sources.sessions(), let all = try? store.list(of: nil) else {
            return
        }
        let count = all.readable.count { other in
            other.connection == client.settings.connection && other.user.id == id
                && (try? store.remove(other.key, ifStill: other.session.presentedToken)) == true
        }
        guard count > 0 else { return }
        client.events.inform("deleted \(count) other saved session\(count == 1 ? "" : "s") of this user")
    }

    /// Fetches the user, to suggest a next step after a deletion without a response. A rejected session does not prove
    /// the deletion: it may have expired, or another program may have revoked it.
    private func stepAfterLoss(_ active: inout ActiveSession) -> NextStep {
        let user = active.user
        do throws(AuthError) {
            _ = try sessions.fetchUser(with: &active)
            return NextStep("the account still exists, but may be deleted soon; to check", run: ["whoami"])
        } catch {
            guard error.reason.meansInvalidSession else {
                return NextStep("check whether the account still exists", run: ["whoami"])
            }
            return NextStep(
                "the server rejects the session now, so the account may be deleted; to check, log in",
                run: client.settings.logInCommand(again: user))
        }
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
