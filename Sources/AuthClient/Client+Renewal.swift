import AuthModel
import Platform

extension Client {
    /// Renews a session that has run out as far as is known here, if it can be renewed.
    func renewIfExpired(_ active: inout ActiveSession) throws(AuthError) {
        if active.session.refreshToken != nil, active.hasExpired(at: clock.now()) { _ = try renew(&active) }
    }

    /// Buys the session that takes the place of this one, or takes over what another process bought.
    ///
    /// A refresh token that is used twice may end all sessions of the account. So one process at a time does this, sees
    /// first what the others have kept meanwhile, and keeps the new session before it is used.
    ///
    /// - Returns: `false` if it cannot be renewed, or was by this command just now.
    /// - Throws: `AuthError` `sessionExpired` if the server refuses; `noSession` if another process logged out; what
    ///   went wrong otherwise. Nothing is asked a second time.
    func renew(_ active: inout ActiveSession) throws(AuthError) -> Bool {
        guard active.source == .file, !active.isFresh(at: clock.now()), active.session.refreshToken != nil,
            let backend = try backend as? any SessionRefreshing
        else { return false }
        let store = try store
        let known = active
        do throws(AuthError) {
            active = try during("renewing the session") { () throws(AuthError) in
                // Could the new one be kept at all? It costs the old one.
                try store.prepare()
                return try store.exclusively(profile, patience: try patience()) { () throws(AuthError) in
                    try successor(of: known, backend, store)
                }
            }
            active.session.earlierTokens = known.session.tokens
        } catch {
            let says = error.reason.meansDeadSession || error.reason == .noSession
            throw says ? explain(error, known) : error.explaining("cannot renew the session")
        }
        return true
    }

    /// Nobody else renews meanwhile.
    private func successor(
        of known: ActiveSession, _ backend: any SessionRefreshing, _ store: any SessionStore
    ) throws(AuthError) -> ActiveSession {
        guard let stored = try store.load(profile), stored.connection == settings.connection else {
            throw noSession()
        }
        var active = ActiveSession(stored)
        active.age = .takenOver
        let isSame =
            stored.session.token == known.session.token && stored.session.refreshToken == known.session.refreshToken
        guard isSame else { return active }
        // Between the answer and the disk the session would be lost.
        return try holdingSignals { () throws(AuthError) in
            active.session = try backend.refresh(stored.session)
            active.age = .renewed(isGood: !active.session.hasExpired(at: clock.now()))
            return active
        } keep: { renewed throws(AuthError) in
            try keep(renewed, insteadOf: stored, store)
            return renewed
        }
    }

    private func keep(
        _ renewed: ActiveSession, insteadOf earlier: StoredSession, _ store: any SessionStore
    ) throws(AuthError) {
        do throws(AuthError) {
            // Who logged in or out meanwhile without asking a server has the last word.
            try store.update(stored(renewed), ifStill: earlier.session.token)
        } catch {
            throw error.explaining("the server gave a new one, which could not be kept and is lost")
                .hinting(afterwards: "log in again: authctl login\(givenOptions)")
        }
    }

    /// Works with the stored session where it is about to end: nobody renews it meanwhile, and what somebody renewed
    /// before is seen.
    ///
    /// - Parameter body: is given the session as it is stored then; `nil` if it is gone.
    /// - Throws: `AuthError` `locked` if somebody renews it all the time.
    func whileNobodyRenews<Value>(
        _ stored: StoredSession, _ body: (StoredSession?) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        guard stored.session.refreshToken != nil else { return try body(stored) }
        let store = try store
        return try store.exclusively(profile, patience: try patience()) { () throws(AuthError) in
            try body(try store.load(profile))
        }
    }

    /// How long another process may take to renew the session: one request and a little.
    private func patience() throws(AuthError) -> Duration { try requestLimit() + .seconds(5) }
}
