package import AuthModel

/// Who is logged in, and whether the server agrees.
package struct SessionState: Sendable, Equatable {
    package enum State: String, Sendable {
        case valid, stored, rejected, expired, absent, unknown
    }

    package let state: State
    /// Whether the server was asked and answered.
    package let isChecked: Bool
    package let active: ActiveSession?
    /// Why the state is none of the good ones.
    package let error: AuthError?
}

extension Client {
    /// Looks at what is stored and asks nobody. A session that is renewed by its next use has not expired.
    package func storedState() throws(AuthError) -> SessionState {
        guard let active = try activeSessionIfAny() else { return absent }
        guard active.hasExpired(at: clock.now()), active.session.refreshToken == nil else {
            return SessionState(state: .stored, isChecked: false, active: active, error: nil)
        }
        let error = AuthError(.sessionExpired, "the session has expired")
        return SessionState(
            state: .expired, isChecked: false, active: active, error: explain(error, active))
    }

    /// Asks the server, and keeps what it tells of the user.
    ///
    /// - Throws: only what says nothing about the session, such as a file that cannot be read.
    package func checkedState() throws(AuthError) -> SessionState {
        guard let active = try activeSessionIfAny() else { return absent }
        let backend = try self.backend
        var current = active
        do throws(AuthError) {
            current.user = try ask("asking who that is", with: &current) { session throws(AuthError) in
                try backend.currentUser(session)
            }
        } catch {
            return try state(after: error, current)
        }
        keep(current, insteadOf: active)
        return SessionState(state: .valid, isChecked: true, active: current, error: nil)
    }

    private var absent: SessionState {
        SessionState(state: .absent, isChecked: false, active: nil, error: noSession())
    }

    private func state(after error: AuthError, _ active: ActiveSession) throws(AuthError) -> SessionState {
        switch error.outcome {
        // Another process logged out meanwhile.
        case .notLoggedIn: return absent
        case .rejected:
            let state: SessionState.State = error.reason == .sessionExpired ? .expired : .rejected
            return SessionState(state: state, isChecked: true, active: active, error: error)
        case .unreachable, .serverError:
            return SessionState(state: .unknown, isChecked: false, active: active, error: error)
        default:
            throw error
        }
    }

    /// Keeps the user as the server knows them now.
    ///
    /// That is a courtesy for later offline use: where nothing can be written, or somebody else is about to write, the
    /// answer is as good.
    func keep(_ current: ActiveSession, insteadOf earlier: ActiveSession) {
        // Compared as they are stored, where times have whole seconds: else each look would be a write.
        guard current.source == .file, current.user.json != earlier.user.json else { return }
        try? store.update(stored(current), ifStill: current.session.token, patience: .zero)
    }
}
