package import AuthModel

/// The sessions of an account, as far as they are known.
package struct SessionList: Sendable, Equatable {
    package let items: [SessionSummary]
    /// `false` where the backend has no list, and only the session known here is told.
    package let isComplete: Bool

    package init(items: [SessionSummary], isComplete: Bool) {
        self.items = items
        self.isComplete = isComplete
    }
}

/// Which sessions to end.
package enum SessionChoice: Sendable, Equatable {
    case ids([String])
    case others
    case all
}

/// Which sessions were ended.
package struct RevocationResult: Sendable, Equatable {
    package let ids: [String]
    /// Whether the current one was among them, and is forgotten here.
    package let forgotten: Bool
}

extension Client {
    package func sessions() throws(AuthError) -> SessionList {
        let active = try activeSession()
        guard let backend = try backend as? any SessionListing else { return onlyKnown(active) }
        let items = try list(backend, active).items
        return SessionList(items: items, isComplete: true)
    }

    /// Ends sessions of the account, the current one last.
    ///
    /// Every id is looked up first: an unknown one ends none.
    package func revoke(_ choice: SessionChoice) throws(AuthError) -> RevocationResult {
        let backend = try ability((any SessionListing).self, to: "end single sessions")
        var (active, items) = try list(backend, try activeSession())
        let chosen = try chosen(choice, from: items).sorted { !$0.isCurrent && $1.isCurrent }
        let endsCurrent = choice == .all || chosen.contains { $0.isCurrent }
        var ended: [String] = []
        try events.during("ending sessions") { () throws(AuthError) in
            for item in chosen {
                active = try end(item.id, backend, active)
                ended.append(item.id)
            }
        }
        if endsCurrent, active.source == .file { try store.remove(profile, ifStill: active.session.token) }
        return RevocationResult(ids: ended, forgotten: endsCurrent && active.source == .file)
    }

    private func list(
        _ backend: any SessionListing, _ active: ActiveSession
    ) throws(AuthError) -> (active: ActiveSession, items: [SessionSummary]) {
        let reply: Reply<[SessionSummary]>
        do throws(AuthError) {
            reply = try events.during("reading the sessions") { () throws(AuthError) in
                try backend.sessions(of: active.session)
            }
        } catch {
            throw explain(error, expiredSince: active.session).explaining("cannot list sessions")
        }
        let now = clock.now()
        // Servers keep rows of sessions that have run out.
        let items = reply.value.filter { item in item.isCurrent || item.expiresAt.map { $0 > now } ?? true }
        return (try keepReplacement(in: reply, of: active), items)
    }

    private func chosen(_ choice: SessionChoice, from items: [SessionSummary]) throws(AuthError) -> [SessionSummary] {
        switch choice {
        case .all: return items
        case .others: return items.filter { !$0.isCurrent }
        case .ids(let ids):
            for id in ids where !items.contains(where: { $0.id == id }) {
                throw AuthError(.notFound, "there is no session '\(id)'", hint: "see 'authctl sessions list'")
            }
            return items.filter { ids.contains($0.id) }
        }
    }

    /// One that ended by itself since it was listed is ended, too.
    private func end(
        _ id: String, _ backend: any SessionListing, _ active: ActiveSession
    ) throws(AuthError) -> ActiveSession {
        let reply: Reply<Void>
        do throws(AuthError) {
            reply = try backend.endSession(id: id, of: active.session)
        } catch {
            if error.reason == .notFound { return active }
            throw explain(error, expiredSince: active.session).explaining("cannot end session '\(id)'")
        }
        return try keepReplacement(in: reply, of: active)
    }

    private func onlyKnown(_ active: ActiveSession) -> SessionList {
        let session = active.session
        let item = SessionSummary(
            id: session.id ?? "", isCurrent: true, createdAt: session.createdAt, expiresAt: session.expiresAt)
        return SessionList(items: [item], isComplete: false)
    }
}
