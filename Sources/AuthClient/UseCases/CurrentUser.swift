package import AuthModel

/// The current session and user, and whether the server accepts the session.
package struct SessionState: Sendable, Equatable {
    package enum State: String, Sendable {
        case valid, stored, rejected, expired, absent, unknown
    }

    package let state: State
    package let isChecked: Bool
    package let active: ActiveSession?
    /// Why the session is not usable, or could not be checked; otherwise `nil`.
    package let error: AuthError?
}

package struct CurrentUser: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// Returns the state of the current session without a request. The state of an expired session is still `stored`
    /// if the session can be refreshed, or if the server may have extended it.
    package func offline() throws(AuthError) -> SessionState {
        guard let active = try sessions.find() else { return absent }
        let now = client.clock.now()
        guard active.hasExpired(at: now), !active.stored.isRenewable(by: sessions.policy, at: now),
            !sessions.mayBeExtended(active), active.session.accessToken == nil
        else {
            return SessionState(state: .stored, isChecked: false, active: active, error: nil)
        }
        return SessionState(
            state: .expired, isChecked: false, active: active, error: sessions.completing(.sessionExpired, active))
    }

    /// Checks the session by requesting its user, and saves the user.
    ///
    /// - Parameter savesUser: `false` leaves the saved session unchanged, unless it must be refreshed.
    /// - Throws: errors other than a rejected session or an unavailable server, such as an unreadable file.
    package func check(savesUser: Bool = true) throws(AuthError) -> SessionState {
        guard let active = try sessions.find() else { return absent }
        var current = active
        do throws(AuthError) {
            current.user = try sessions.fetchUser(with: &current)
        } catch {
            return try state(after: error, current)
        }
        guard savesUser else { return SessionState(state: .valid, isChecked: true, active: current, error: nil) }
        sessions.saveUser(of: current, insteadOf: active)
        // `try?`: details of the session are optional, because the server has already accepted it.
        try? sessions.describe(&current, within: .seconds(3))
        return SessionState(state: .valid, isChecked: true, active: current, error: nil)
    }

    /// Asks the site for the kinds of login that it accepts, or sends a token that the server has not issued.
    ///
    /// - Throws: the error that a login gets, too.
    package func requireServer() throws(AuthError) {
        let backend = try backends.connect()
        guard try backends.site() == nil else { return }
        do throws(AuthError) {
            _ = try backends.call("asking the server") { () throws(BackendError) in
                try backend.currentUser(Session(token: Secret("none")))
            }
        } catch {
            guard [.actionNeeded, .unreachable, .serverError].contains(error.outcome) else { return }
            throw error
        }
    }

    private var absent: SessionState {
        SessionState(state: .absent, isChecked: false, active: nil, error: sessions.noSession())
    }

    private func state(after error: AuthError, _ active: ActiveSession) throws(AuthError) -> SessionState {
        switch error.outcome {
        // Another process logged out in the meantime.
        case .notLoggedIn: return absent
        case .rejected:
            let state: SessionState.State = error.reason == .sessionExpired ? .expired : .rejected
            return SessionState(state: state, isChecked: true, active: active, error: error)
        case .actionNeeded where error.reason == .accountDisabled:
            return SessionState(state: .rejected, isChecked: true, active: active, error: error)
        // A gateway's 401 or 403 says nothing about the session.
        case .unreachable, .serverError, .actionNeeded:
            return SessionState(state: .unknown, isChecked: false, active: active, error: error)
        default:
            throw error
        }
    }
}
