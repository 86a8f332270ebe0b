package import AuthModel

package struct LogOutResult: Sendable, Equatable {
    package let profile: String
    /// Whether a session was revoked or deleted.
    package let changed: Bool
    package let revoked: Revocation
    package let forgotten: Bool
    /// Whether only a password change can revoke the session on the server.
    package var revokedByPasswordChange = false
    /// Whether the account is on a server; `false` for local accounts.
    package var hasServer = true
    /// Whether the session had expired before the logout, by the local clock.
    package var hadExpired = false
    /// The environment variable that contains the session; `nil` for a saved session.
    package var variable: String?
    package var method: AuthMethod?
    /// The session name; `nil` for the profile's own session.
    package var sessionName: String?
    /// The session; set only if results of several sessions are shown together.
    package var key: SessionKey?
    /// Why the session was not revoked or not deleted; `nil` if no error occurred.
    package var error: AuthError?
}

extension Client {
    /// Warns if the access token of a session that has ended is still valid for some APIs.
    func warnOfToken(of session: Session) {
        guard let end = JWT(session.presentedToken)?.expiresAt, end > clock.now() else { return }
        events.warn("APIs that check only the signature accept the access token until \(end.text)")
    }
}

/// Revokes the saved session on the server, and deletes it on this machine even if the revocation fails.
package struct LogOut: UseCase {
    let client: Client
    private var profile: String { client.profile }

    package init(_ client: Client) {
        self.client = client
    }

    package func run() throws(AuthError) -> LogOutResult {
        discardPending()
        let found: StoredSession?
        do throws(AuthError) {
            found = try sessions.load()
        } catch {
            return try deleteUnreadable(error)
        }
        guard let found else { return try revokeFromEnvironment() }
        sessions.warnOfEnvironmentToken()
        do throws(AuthError) {
            return try sessions.withoutRefreshing(found) { newest in newest.map(revokeAndDelete) ?? notLoggedIn }
        } catch {
            switch error.reason {
            // Another process is refreshing the session. The saved session can still be deleted.
            case .locked: return deleteLocked(found, error)
            // If the folder is not writable, no process can refresh the session, so no lock is needed.
            case _ where error.outcome == .storage: return revokeAndDelete(found)
            default: throw error
            }
        }
    }

    /// Deletes the saved session without a request.
    package func offline() throws(AuthError) -> LogOutResult {
        discardPending()
        let found: StoredSession?
        do throws(AuthError) {
            found = try sessions.load()
        } catch {
            var result = try deleteUnreadable(error)
            // An offline logout never revokes the session, so a missing revocation is not an error.
            result.error = nil
            return result
        }
        guard var stored = found else { return notLoggedIn }
        // Another process may have refreshed the session.
        while try !sessions.delete(stored.session), let newer = try sessions.load() { stored = newer }
        return result(.unknown, stored.method)
    }

    /// Deletes a session file that is damaged or was written by a newer version of authctl.
    ///
    /// - Throws: `error`, without deleting the file, if the file cannot be read for another reason.
    private func deleteUnreadable(_ error: AuthError) throws(AuthError) -> LogOutResult {
        guard error.reason == .corrupt || error.reason == .newerVersion else { throw error }
        try sessions.discard()
        let cause = "cannot revoke the session, which may still be valid: \(error.message)"
        return result(.unknown, error: AuthError(.outcomeUnknown, cause))
    }

    /// Revokes the session whose token is in the environment. Called if no session is saved.
    private func revokeFromEnvironment() throws(AuthError) -> LogOutResult {
        guard let variable = sessions.tokenVariable, var active = try sessions.find() else {
            return notLoggedIn
        }
        var revoked = Revocation.unknown
        var failure: AuthError?
        do throws(AuthError) {
            let wasAccepted = try accepts(&active)
            revoked = try sessions.revoke(active.session, "logging out")
            // A site that does not know the word before a token takes its logout for a guest's, and confirms it.
            if revoked == .yes, !wasAccepted {
                revoked = .unknown
                throw AuthError(.outcomeUnknown, "the server did not accept the token before the logout either")
            }
        } catch {
            failure = error.explaining(mayBeValid)
        }
        var result = result(revoked, changed: revoked == .yes, forgotten: false, error: failure)
        result.variable = variable
        warnOfValidity(of: active.session, revoked)
        return result
    }

    /// Learns how the server expects the token from the environment.
    ///
    /// - Returns: `false` if the server rejects the token.
    private func accepts(_ active: inout ActiveSession) throws(AuthError) -> Bool {
        do throws(AuthError) {
            try sessions.learnWord(of: &active)
            return true
        } catch {
            guard error.reason == .tokenRefused else { throw error }
            return false
        }
    }

    private func discardPending() {
        let name = sessions.pending.name
        sessions.pending.delete()
        if let name { client.events.inform("the login or signup of '\(name)' no longer waits") }
    }

    private var notLoggedIn: LogOutResult {
        if let other = sessions.sessionsOfOtherConnections().first {
            client.events.warn(
                "the profile's session is bound to \(other.connection.name), not to these settings",
                next: NextStep("log out there", run: ["logout"] + other.connection.options))
        }
        return result(.already, changed: false, forgotten: false)
    }

    private func result(
        _ revoked: Revocation, _ method: AuthMethod? = nil, changed: Bool = true, forgotten: Bool = true,
        error: AuthError? = nil
    ) -> LogOutResult {
        let byPasswordChange =
            revoked == .unsupported && client.settings.backend.value.has(.endsSessionsByPasswordChange)
        return LogOutResult(
            profile: profile, changed: changed, revoked: revoked, forgotten: forgotten,
            revokedByPasswordChange: byPasswordChange, hasServer: hasServer, method: method,
            sessionName: client.settings.sessionName?.value, error: error)
    }

    private func deleteLocked(_ stored: StoredSession, _ error: AuthError) -> LogOutResult {
        let unknown = AuthError(
            .outcomeUnknown, "\(mayBeValid): another process has locked it", nextSteps: error.nextSteps)
        do throws(AuthError) {
            // If the process that held the lock has saved a new session, revoke and delete the new session.
            if try !sessions.delete(stored.session), let newer = try sessions.load() { return revokeAndDelete(newer) }
        } catch {
            return result(.unknown, forgotten: false, error: error)
        }
        return result(.unknown, stored.method, error: unknown)
    }

    private func revokeAndDelete(_ stored: StoredSession) -> LogOutResult {
        var revoked = Revocation.unknown
        var failure: AuthError?
        do throws(AuthError) {
            revoked = try sessions.revoke(stored.session, "logging out")
        } catch {
            failure = completing(error.explaining(mayBeValid))
        }
        do throws(AuthError) {
            // Another process may have refreshed the session in the meantime.
            if try !sessions.delete(stored.session), let newer = try sessions.load() {
                var result = revokeAndDelete(newer)
                result.error = result.error ?? failure
                return result
            }
        } catch {
            // The result must report the revocation even if the deletion fails.
            let step = NextStep("delete the saved session", run: ["logout"])
            return result(revoked, forgotten: false, error: error.suggesting(afterwards: step))
        }
        var result = result(revoked, stored.method, error: failure)
        // An expired session with a refresh token may still be refreshed, unless the server reports it as invalid.
        let now = client.clock.now()
        let canEnd = revoked == .already || !stored.isRenewable(by: sessions.policy, at: now)
        result.hadExpired = canEnd && stored.session.hasExpired(at: now)
        if !result.hadExpired { warnOfValidity(of: stored.session, revoked) }
        return result
    }

    private func completing(_ error: AuthError) -> AuthError {
        var error = error
        // Another logout would do nothing: the saved session is already deleted.
        if error.reason == .rateLimited || error.reason == .serverFault { error.nextSteps = [] }
        guard backends.has((any SessionListing).self) else { return error }
        return error.suggesting(
            NextStep("log in again", run: ["login"]),
            NextStep("then revoke the other sessions", run: ["sessions", "revoke", "--others"]))
    }

    private func warnOfValidity(of session: Session, _ revoked: Revocation) {
        if revoked == .yes { client.warnOfToken(of: session) }
        guard revoked == .unsupported else { return }
        // A token from the environment has no saved expiry.
        let end = session.expiresAt ?? JWT(session.presentedToken)?.expiresAt
        guard let token = session.refreshToken else {
            client.events.warn(
                end.map { "the server accepts this session until \($0.text)" }
                    ?? "the server may still accept this session: its end is unknown")
            return
        }
        if let last = JWT(token)?.expiresAt {
            client.events.warn("the server accepts this session until \(max(last, end ?? last).text)")
        } else if let end {
            client.events.warn(
                "the access token is valid until \(end.text), and the refresh token gets new ones without a known end")
        }
    }

    /// Local accounts have no server.
    private var hasServer: Bool { client.settings.connection.server != nil }

    private var mayBeValid: String { "the session may still be valid\(hasServer ? " on the server" : "")" }
}
