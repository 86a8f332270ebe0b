package import AuthModel

package enum SessionChoice: Sendable, Equatable {
    case ids([String])
    case others
    case all
}

package struct RevocationResult: Sendable, Equatable {
    /// `nil` if the server revoked sessions without naming them.
    package let ids: [String]?
    /// Whether the current session was revoked and its saved copy was deleted.
    package let forgotten: Bool
}

/// Revokes sessions of the account, the current session last.
package struct RevokeSessions: UseCase {
    let client: Client
    private let list: ListSessions

    package init(_ client: Client) {
        self.client = client
        list = ListSessions(client)
    }

    /// Looks up all ids before it revokes any session. If an id is unknown, no session is revoked.
    package func run(_ choice: SessionChoice) throws(AuthError) -> RevocationResult {
        let backend = try backends.connect()
        var active = try sessions.current()
        guard !client.settings.backend.value.has(.hasOnlyLogin) else { throw backends.cannot("revoke sessions") }
        guard let listing = backend as? any SessionListing, let items = try list.listIfOffered(listing, &active)?.items
        else {
            if let ending = backend as? any SessionsEnding, choice == .all || choice == .others {
                return try revoke(exceptCurrent: choice == .others, ending, &active)
            }
            return try revokeOnlyKnown(choice, backend)
        }
        let chosen = try chosen(choice, from: items)
        let current = chosen.filter(\.isCurrent)
        var revoked: [String] = []
        do throws(AuthError) {
            for item in chosen where !item.isCurrent { try revoke(item.id, listing, &active, &revoked) }
            for item in current { try revoke(item.id, listing, &active, &revoked) }
        } catch {
            throw revoked.isEmpty || error.isAfterSuccess
                ? error : error.explaining("revoked \(revoked.count) of the sessions, but not all")
        }
        let deletes = (choice == .all || !current.isEmpty) && active.source == .file
        if deletes { try sessions.deleteRevoked(active.session) }
        return RevocationResult(ids: revoked, forgotten: deletes)
    }

    private func chosen(_ choice: SessionChoice, from items: [SessionSummary]) throws(AuthError) -> [SessionSummary] {
        switch choice {
        case .all: return items
        case .others: return items.filter { !$0.isCurrent }
        case .ids(let ids):
            let current = items.first(where: \.isCurrent)?.id
            let ids = ids.map { $0 == Session.currentID ? current ?? $0 : $0 }
            for id in ids where !items.contains(where: { $0.id == id }) {
                throw AuthError(
                    .notFound, "unknown session '\(id)'",
                    next: NextStep("list the sessions", run: ["sessions", "list"]))
            }
            return items.filter { ids.contains($0.id) }
        }
    }

    /// Revokes a session. A session that no longer exists on the server counts as revoked.
    private func revoke(
        _ id: String, _ backend: any SessionListing, _ active: inout ActiveSession, _ revoked: inout [String]
    ) throws(AuthError) {
        do throws(AuthError) {
            try sessions.send("revoking sessions", with: &active) { session throws(BackendError) in
                try backend.endSession(id: id, of: session)
            }
        } catch {
            if error.reason != .notFound {
                let done =
                    revoked.isEmpty ? "session '\(id)' was revoked" : "\(revoked.count + 1) sessions were revoked"
                throw sessions.explaining(error, failure: "cannot revoke session '\(id)'", done: done)
            }
        }
        revoked.append(id)
    }
}

// MARK: - Backends without a session list

extension RevokeSessions {
    /// Revokes all sessions, or all but the current one.
    private func revoke(
        exceptCurrent: Bool, _ backend: any SessionsEnding, _ active: inout ActiveSession
    ) throws(AuthError) -> RevocationResult {
        do throws(AuthError) {
            try sessions.send("revoking sessions", with: &active) { session throws(BackendError) in
                try backend.endSessions(exceptCurrent: exceptCurrent, of: session)
            }
        } catch {
            throw sessions.explaining(error, failure: "cannot revoke the sessions", done: "the sessions were revoked")
        }
        let deletes = !exceptCurrent && active.source == .file
        if deletes { try sessions.deleteRevoked(active.session) }
        if exceptCurrent, JWT(active.session.token) != nil {
            client.events.warn("APIs that check only the signature accept their access tokens until these expire")
        } else {
            client.warnOfToken(of: active.session)
        }
        return RevocationResult(ids: nil, forgotten: deletes)
    }

    /// Revokes the current session, and deletes its saved copy. If the request fails, the saved copy stays.
    ///
    /// - Throws: `AuthError` `unsupported` if the choice includes, or may include, other sessions, or if the server
    ///   cannot revoke sessions.
    private func revokeOnlyKnown(_ choice: SessionChoice, _ backend: any Backend) throws(AuthError) -> RevocationResult
    {
        let active = try sessions.current()
        try requireKnown(choice, active.session, backend)
        guard active.source == .file else {
            try revoke(active)
            return RevocationResult(ids: [active.session.idInLists], forgotten: false)
        }
        return try sessions.withoutRefreshing(active.stored) { newest throws(AuthError) in
            guard let newest else { throw sessions.noSession() }
            try revoke(ActiveSession(newest))
            try sessions.deleteRevoked(newest.session)
            return RevocationResult(ids: [newest.session.idInLists], forgotten: true)
        }
    }

    private func requireKnown(_ choice: SessionChoice, _ session: Session, _ backend: any Backend) throws(AuthError) {
        let isKnown =
            switch choice {
            case .ids(let ids): ids.allSatisfy { $0 == Session.currentID || $0 == session.id }
            case .others: false
            case .all: backend.sharesAmongDevices(session)
            }
        if client.settings.backend.value.has(.endsSessionsByPasswordChange) {
            throw AuthError(
                .unsupported, "the server cannot revoke sessions: they are valid until they expire",
                nextSteps: [
                    NextStep("change the password, which revokes all sessions", run: ["password", "change"]),
                    NextStep("or only delete the saved session", run: ["logout"]),
                ])
        }
        guard !isKnown else { return }
        throw AuthError(
            .unsupported,
            "backend '\(client.settings.backendName)' has no list of sessions: only the current session can be revoked",
            next: NextStep("revoke the current session", run: ["sessions", "revoke", Session.currentID]))
    }

    private func revoke(_ active: ActiveSession) throws(AuthError) {
        let revoked: Revocation
        do throws(AuthError) {
            revoked = try sessions.revoke(active.session, "revoking the session")
        } catch {
            throw sessions.completing(error, active).explaining("cannot revoke the session")
        }
        switch revoked {
        case .yes, .already: return
        case .unsupported:
            throw AuthError(
                .unsupported, "the server cannot revoke sessions: this one is valid until it expires",
                next: NextStep("only delete the saved session", run: ["logout"]))
        case .unknown:
            throw AuthError(.outcomeUnknown, "the session may still be valid on the server", next: "try again later")
        }
    }
}
