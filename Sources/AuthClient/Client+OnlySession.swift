import AuthModel

/// Sessions at servers that have no list of them: only the one of this profile is known.
extension Client {
    /// What it is called where the server gives it no id.
    private static let currentID = "current"

    /// The session known here, after the server has said whose it is.
    func onlyKnown(_ active: inout ActiveSession, _ backend: any Backend) throws(AuthError) -> SessionList {
        let before = active
        do throws(AuthError) {
            active.user = try ask("asking for the session", with: &active) { session throws(AuthError) in
                try backend.currentUser(session)
            }
        } catch {
            throw error.explaining("cannot list sessions")
        }
        keep(active, insteadOf: before)
        let session = active.session
        let item = SessionSummary(
            id: session.id ?? Self.currentID, isCurrent: true, createdAt: session.createdAt,
            expiresAt: session.expiresAt)
        return SessionList(items: [item], isComplete: false)
    }

    /// Ends the session known here, and forgets it; where the server could not be asked, it stays.
    ///
    /// - Throws: `AuthError` `unsupported` if another one is meant, or may be.
    func revokeOnlyKnown(_ choice: SessionChoice, _ backend: any Backend) throws(AuthError) -> RevocationResult {
        let active = try activeSession()
        try requireKnown(choice, active.session, backend)
        guard active.source == .file else {
            try end(active, choice, backend)
            return RevocationResult(ids: [active.session.id ?? Self.currentID], forgotten: false)
        }
        return try whileNobodyRenews(stored(active)) { newest throws(AuthError) in
            guard let newest, newest.connection == settings.connection else { throw noSession() }
            let active = ActiveSession(newest)
            try end(active, choice, backend)
            try forgetEnded(newest.session)
            return RevocationResult(ids: [newest.session.id ?? Self.currentID], forgotten: true)
        }
    }

    private func requireKnown(
        _ choice: SessionChoice, _ session: Session, _ backend: any Backend
    ) throws(AuthError) {
        let isKnown =
            switch choice {
            case .ids(let ids): ids.allSatisfy { $0 == Self.currentID || $0 == session.id }
            case .others: false
            case .all: backend.sharesAmongDevices(session)
            }
        if backend is any PasswordChangeEndsSessions {
            throw AuthError(
                .unsupported, "the server ends no sessions: they stay valid until they expire",
                hint: "a change of the password ends them all: authctl password change\(givenOptions); "
                    + "or forget this one here: authctl logout\(givenOptions)")
        }
        guard !isKnown else { return }
        throw AuthError(
            .unsupported,
            "backend '\(settings.connection.backend)' has no list of sessions: only the one of this profile can be ended",
            hint: "end that one: authctl sessions revoke\(givenOptions) \(Self.currentID)")
    }

    private func end(
        _ active: ActiveSession, _ choice: SessionChoice, _ backend: any Backend
    ) throws(AuthError) {
        let revoked: Revocation
        do throws(AuthError) {
            revoked = try during("ending the session") { () throws(AuthError) in
                // Who wants all of them to end need not be warned that they do.
                choice == .all ? try backend.logOut(active.session).value : try endAtServer(active.session, backend)
            }
        } catch {
            throw explain(error, active).explaining("cannot end the session")
        }
        switch revoked {
        case .yes, .already: return
        case .unsupported:
            throw AuthError(
                .unsupported, "the server ends no sessions: this one stays valid until it expires",
                hint: "forget it here: authctl logout\(givenOptions)")
        case .unknown:
            throw AuthError(.outcomeUnknown, "the session may still be alive at the server", hint: "try again later")
        }
    }
}
