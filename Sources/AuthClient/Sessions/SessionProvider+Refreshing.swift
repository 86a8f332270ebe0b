import AuthModel
import Platform

extension SessionProvider {
    var policy: RefreshPolicy { settings.backend.value.refresh }

    /// Renews a session that will have expired at `time`. A session that cannot be renewed is used until it expires.
    ///
    /// - Parameter end: the time at which the session must not have expired.
    private func renew(
        _ active: inout ActiveSession, ifExpiredAt time: Instant, neededUntil end: Instant
    ) throws(AuthError) {
        guard !active.hasExpired(at: clock.now()) else { throw completing(.sessionExpired, active) }
        guard active.session.createdAt != nil, active.hasExpired(at: time) else { return }
        do throws(AuthError) {
            _ = try refresh(&active)
        } catch {
            guard ![.rejected, .notLoggedIn, .storage].contains(error.outcome), !active.hasExpired(at: end) else {
                throw error
            }
        }
    }

    /// Refreshes the session if that is possible, and if the session has expired at `time`, by this machine's clock, or
    /// expires too soon for a request.
    ///
    /// - Parameter end: see `renew`; `nil` for the current time.
    func refresh(
        _ active: inout ActiveSession, ifExpiredAt time: Instant, neededUntil end: Instant? = nil
    ) throws(AuthError) {
        guard policy.means == .token || active.session.refreshToken != nil else { return }
        let now = clock.now()
        let time = max(time, now.adding(policy.reserve(of: active.session, at: now)))
        if policy.means == .token { return try renew(&active, ifExpiredAt: time, neededUntil: end ?? now) }
        guard active.hasExpired(at: time) else { return }
        do throws(AuthError) {
            guard !active.isRefreshRejected else { throw completing(.sessionRevoked, active) }
            _ = try refresh(&active)
        } catch {
            // If the refresh token is rejected, a session that has not expired yet is still usable.
            guard error.reason.meansInvalidSession,
                active.session.accessToken != nil || !active.hasExpired(at: clock.now())
            else { throw error }
            active.isRefreshRejected = true
        }
    }

    /// Refreshes the session, or loads the session that another process has refreshed.
    ///
    /// A server may revoke all sessions of the account if a refresh token is used twice. Therefore only one process at
    /// a time refreshes. It first loads the newest saved session, and saves the new session before using it.
    ///
    /// - Returns: `false` if the session cannot be refreshed, or if this command has just refreshed it.
    /// - Throws: `AuthError` `sessionExpired` or `sessionRevoked` if the server rejects the refresh token; `noSession`
    ///   if another process logged out; any other error of the refresh request, which is never retried; the errors of
    ///   the session store.
    func refresh(_ active: inout ActiveSession) throws(AuthError) -> Bool {
        let now = clock.now()
        guard active.source == .file, !active.isFresh(at: now), active.stored.isRenewable(by: policy, at: now),
            let backend = try backends.connect() as? any SessionRefreshing
        else { return false }
        let store = try sources.sessions()
        let known = active
        do throws(AuthError) {
            active = try events.during("refreshing the session") { () throws(AuthError) in
                // Check that the new session can be saved, because the refresh invalidates the old session.
                try store.prepare()
                return try store.exclusively(key, patience: try refreshTimeLimit()) { () throws(AuthError) in
                    try refreshed(known, backend, store)
                }
            }
        } catch {
            let isAboutSession = error.reason.meansInvalidSession || error.reason == .noSession
            if isAboutSession { throw completing(error, known) }
            var error = error.explaining("cannot refresh the session")
            if error.reason == .serverFault, known.hasExpired(at: clock.now()) {
                // Some sites fail, instead of rejecting the token, if the account is gone.
                error.nextSteps.append(NextStep("if it fails again, log in", run: settings.logInCommand(again: known)))
            }
            throw error
        }
        if case .refreshed = active.age, let token = active.session.refreshToken, token == known.session.refreshToken,
            backend.isRevoked(token, within: min(.seconds(5), try sources.requestLimit()))
        {
            active.isRefreshRejected = true
            rememberRejection(of: active.stored, store)
        }
        return true
    }

    /// Refreshes the session. The caller must hold the lock of `SessionStore.exclusively`.
    private func refreshed(
        _ known: ActiveSession, _ backend: any SessionRefreshing, _ store: any SessionStore
    ) throws(AuthError) -> ActiveSession {
        guard let stored = try load() else { throw noSession() }
        var active = ActiveSession(stored)
        active.age = .refreshedElsewhere
        let isSame =
            stored.session.token == known.session.token && stored.session.refreshToken == known.session.refreshToken
        guard isSame else { return active }
        guard !stored.isRefreshRejected else { throw .sessionRevoked }
        do throws(AuthError) {
            // Defer signals, because a signal between the response and the write would lose the session.
            return try deferringSignals { () throws(AuthError) in
                active.session = try converting(backends.advice) { () throws(BackendError) in
                    try backend.refresh(stored.session)
                }
                active.age = .refreshed(isGood: !active.session.hasExpired(at: clock.now()))
                return active
            } keep: { refreshed throws(AuthError) in
                try save(refreshed, insteadOf: stored, store)
                return refreshed
            }
        } catch {
            guard error.reason.meansInvalidSession else { throw error }
            if policy.tellsExpiry, error.reason == .sessionExpired { throw error }
            rememberRejection(of: stored, store)
            var error = error
            // The server does not say why it rejects the token. If the session has expired, `completing` says so.
            (error.reason, error.message) = (.sessionRevoked, AuthError.sessionRevoked.message)
            throw error
        }
    }

    /// Records that the server rejected the refresh token, so that processes waiting for the lock do not send it again.
    private func rememberRejection(of stored: StoredSession, _ store: any SessionStore) {
        var rejected = stored
        rejected.isRefreshRejected = true
        // `try?`: if the rejection cannot be saved, the other processes get the same response from the server.
        try? store.update(rejected, ifStill: stored.session.presentedToken)
    }

    private func save(
        _ refreshed: ActiveSession, insteadOf earlier: StoredSession, _ store: any SessionStore
    ) throws(AuthError) {
        do throws(AuthError) {
            // A login or logout by another process in the meantime takes precedence.
            try store.update(refreshed.stored, ifStill: earlier.session.presentedToken)
        } catch {
            throw error.explaining("the server issued a new session, which could not be saved")
                .suggesting(afterwards: NextStep("log in again", run: settings.logInCommand(again: earlier.user)))
        }
    }

    /// Runs `body`, which revokes a session, while refreshes by other processes are blocked.
    ///
    /// - Parameter body: receives the newest saved session; `nil` if it was deleted.
    /// - Throws: `AuthError` `locked` if another process holds the lock for too long.
    func withoutRefreshing<Value>(
        _ stored: StoredSession, _ body: (StoredSession?) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        guard stored.session.refreshToken != nil else { return try body(stored) }
        let store = try sources.sessions()
        return try store.exclusively(key, patience: try refreshTimeLimit()) { () throws(AuthError) in
            try body(masked(try store.load(key)))
        }
    }

    /// The time that another process may take to refresh the session: one request and a margin.
    private func refreshTimeLimit() throws(AuthError) -> Duration { try sources.requestLimit() + .seconds(5) }
}
