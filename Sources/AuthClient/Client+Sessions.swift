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

extension SessionChoice {
    /// Whether it also takes in sessions that begin meanwhile.
    fileprivate var isOpen: Bool {
        switch self {
        case .ids: false
        case .others, .all: true
        }
    }
}

/// Which sessions were ended.
package struct RevocationResult: Sendable, Equatable {
    package let ids: [String]
    /// Whether the current one was among them, and is forgotten here.
    package let forgotten: Bool
}

extension Client {
    package func sessions() throws(AuthError) -> SessionList {
        var active = try activeSession()
        let backend = try self.backend
        guard let listing = backend as? any SessionListing, let items = try listIfAny(listing, &active) else {
            return try onlyKnown(&active, backend)
        }
        return SessionList(items: items, isComplete: true)
    }

    /// Ends sessions of the account, the current one last.
    ///
    /// Every id is looked up first: an unknown one ends none.
    package func revoke(_ choice: SessionChoice) throws(AuthError) -> RevocationResult {
        let backend = try self.backend
        var active = try activeSession()
        guard let listing = backend as? any SessionListing, let items = try listIfAny(listing, &active) else {
            return try revokeOnlyKnown(choice, backend)
        }
        let chosen = try chosen(choice, from: items)
        let current = chosen.filter(\.isCurrent)
        var ended: [String] = []
        do throws(AuthError) {
            for item in chosen where !item.isCurrent { try end(item.id, listing, &active, &ended) }
            // Where the current one is not marked, it may be among those that were just ended.
            let canGoOn = choice.isOpen && !ended.isEmpty && items.contains(where: \.isCurrent)
            if canGoOn { try endNewcomers(listing, &active, &ended) }
            for item in current { try end(item.id, listing, &active, &ended) }
        } catch {
            throw ended.isEmpty || error.isAfterSuccess
                ? error : error.explaining("\(ended.count) of the sessions ended, but not all")
        }
        let forgets = (choice == .all || !current.isEmpty) && active.source == .file
        if forgets { try forgetEnded(active.session) }
        return RevocationResult(ids: ended, forgotten: forgets)
    }

    func forgetEnded(_ session: Session) throws(AuthError) {
        do throws(AuthError) {
            try store.remove(profile, ifStill: session.token)
        } catch {
            throw error.explaining("the sessions were ended, but forgetting the one of this profile here failed")
                .hinting(afterwards: "forget it: authctl logout\(givenOptions)")
        }
    }

    /// Ends the sessions that a log-in began while others were listed and ended, until a list shows none.
    private func endNewcomers(
        _ backend: any SessionListing, _ active: inout ActiveSession, _ ended: inout [String]
    ) throws(AuthError) {
        var rounds = 1
        while true {
            // What was ended may stand in a list for some more seconds.
            let new = try list(backend, &active).filter { !$0.isCurrent && !ended.contains($0.id) }
            guard !new.isEmpty else { return }
            guard rounds < Self.revocationRounds else {
                events.warn("new sessions begin as fast as they can be ended; some are left")
                return
            }
            for item in new { try end(item.id, backend, &active, &ended) }
            rounds += 1
        }
    }

    /// How often the sessions that there are may be ended.
    private static let revocationRounds = 5

    /// - Returns: `nil` if this server of a kind that mostly has one has no list.
    private func listIfAny(
        _ backend: any SessionListing, _ active: inout ActiveSession
    ) throws(AuthError) -> [SessionSummary]? {
        do throws(AuthError) {
            return try list(backend, &active)
        } catch {
            guard error.reason == .unsupported else { throw error }
            return nil
        }
    }

    private func list(
        _ backend: any SessionListing, _ active: inout ActiveSession
    ) throws(AuthError) -> [SessionSummary] {
        let items: [SessionSummary]
        do throws(AuthError) {
            items = try ask("reading the sessions", with: &active) { session throws(AuthError) in
                try backend.sessions(of: session)
            }
        } catch {
            throw error.explaining("cannot list sessions")
        }
        let now = clock.now()
        // Servers keep rows of sessions that have run out.
        return items.filter { item in item.isCurrent || item.expiresAt.map { $0 > now } ?? true }
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

    /// Ends one and notes it; one that ended by itself since it was listed is ended, too.
    private func end(
        _ id: String, _ backend: any SessionListing, _ active: inout ActiveSession, _ ended: inout [String]
    ) throws(AuthError) {
        do throws(AuthError) {
            try ask("ending sessions", with: &active) { session throws(AuthError) in
                try backend.endSession(id: id, of: session)
            }
        } catch {
            if error.reason != .notFound {
                let done = ended.isEmpty ? "session '\(id)' was ended" : "\(ended.count + 1) of the sessions were ended"
                throw explain(error, failure: "cannot end session '\(id)'", done: done)
            }
        }
        ended.append(id)
    }
}
