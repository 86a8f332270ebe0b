package import AuthModel

/// Logs out of all sessions of all profiles, even if one logout fails.
package struct LogOutOfAll {
    package typealias Failure = AuthError

    private let sessions: any SessionStore
    private let sendsRequest: Bool
    private let client: (StoredSession) throws(Failure) -> Client

    /// - Parameters:
    ///   - sendsRequest: whether to revoke the sessions; otherwise they are only deleted.
    ///   - client: makes the client of a session.
    package init(
        _ sessions: any SessionStore, sendsRequest: Bool, client: @escaping (StoredSession) throws(Failure) -> Client
    ) {
        self.sessions = sessions
        self.sendsRequest = sendsRequest
        self.client = client
    }

    /// - Returns: a result for each session, with its key if it can be read; one for a profile without sessions.
    package func run() throws(AuthError) -> [LogOutResult] {
        // Include profiles that have only a pending login.
        let profiles = Set(try sessions.profiles()).union(try sessions.unfinished.profiles())
        return profiles.sorted().flatMap(logOutAll)
    }

    private func logOutAll(of profile: String) -> [LogOutResult] {
        do throws(AuthError) {
            let list = try sessions.list(of: profile)
            var results = list.readable.map { stored in
                var result = logOut(of: stored)
                (result.sessionName, result.key) = (stored.name, stored.key)
                return result
            }
            for saved in list {
                guard case .failure(let error) = saved.content else { continue }
                guard error.reason == .corrupt || error.reason == .newerVersion else {
                    results.append(failed(profile, error))
                    continue
                }
                results.append(
                    forget("a session", of: profile, error.message) { () throws(AuthError) in
                        try sessions.discard(saved)
                    })
            }
            // A pending login has no session on the server yet, so there is nothing to revoke.
            try sessions.unfinished.discardAll(of: profile)
            guard results.isEmpty else { return results }
            return [LogOutResult(profile: profile, changed: false, revoked: .already, forgotten: false)]
        } catch {
            return [failed(profile, error)]
        }
    }

    private func logOut(of stored: StoredSession) -> LogOutResult {
        do throws(AuthError) {
            let logOut = LogOut(try client(stored))
            return try sendsRequest ? logOut.run() : logOut.offline()
        } catch {
            guard error.outcome == .usage else { return failed(stored.profile, error) }
            // The profile was removed or has unusable settings.
            let cause = error.reason == .unknownProfile ? "the profile no longer exists" : error.message
            return forget("the session of profile '\(stored.profile)'", of: stored.profile, cause) {
                () throws(AuthError) in
                try sessions.discard(stored.key)
            }
        }
    }

    /// Deletes a session that cannot be revoked.
    private func forget(
        _ session: String, of profile: String, _ cause: String, _ discard: () throws(AuthError) -> Void
    ) -> LogOutResult {
        do throws(AuthError) {
            try discard()
        } catch {
            return failed(profile, error)
        }
        let error = AuthError(.outcomeUnknown, "cannot revoke \(session), which may still be valid: \(cause)")
        return LogOutResult(
            profile: profile, changed: true, revoked: .unknown, forgotten: true,
            // Without a request, the user knows that the session was not revoked.
            error: sendsRequest ? error : nil)
    }

    private func failed(_ profile: String, _ error: AuthError) -> LogOutResult {
        LogOutResult(profile: profile, changed: false, revoked: .unknown, forgotten: false, error: error)
    }
}
