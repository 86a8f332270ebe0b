package import AuthModel

package struct SessionList: Sendable, Equatable {
    package let items: [SessionSummary]
    /// `false` if sessions may be missing: the backend can list only the current session, or the list has reached its
    /// maximum length.
    package let isComplete: Bool

    package static let unknown = SessionList(items: [], isComplete: false)
}

package struct ListSessions: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    package func run() throws(AuthError) -> SessionList {
        var active = try sessions.current()
        let backend = try client.backends.connect()
        guard !client.settings.backend.value.has(.hasOnlyLogin) else { throw client.backends.cannot("list sessions") }
        if let listing = backend as? any SessionListing, let list = try listIfOffered(listing, &active) { return list }
        return try onlyKnown(&active)
    }

    /// - Returns: `nil` if this server cannot list sessions, although other servers of its kind can.
    func listIfOffered(
        _ backend: any SessionListing, _ active: inout ActiveSession
    ) throws(AuthError) -> SessionList? {
        do throws(AuthError) {
            return try list(backend, &active)
        } catch {
            guard error.reason == .unsupported else { throw error }
            return nil
        }
    }

    func list(_ backend: any SessionListing, _ active: inout ActiveSession) throws(AuthError) -> SessionList {
        var items = try failing(as: "cannot list sessions") { () throws(AuthError) in
            try sessions.send("requesting the sessions", with: &active) { session throws(BackendError) in
                try backend.sessions(of: session)
            }
        }
        if sessions.mayBeExtended(active), let end = items.first(where: \.isCurrent)?.expiresAt {
            var session = active.session
            session.expiresAt = end
            sessions.saveTimes(of: session, &active)
        }
        // Some servers do not report how a session was created, but the saved session records an impersonation.
        if active.method == .impersonation,
            let index = items.firstIndex(where: { $0.isCurrent && $0.createdWith == nil })
        {
            items[index].createdWith = SessionSummary.impersonated
        }
        let isComplete = items.count < SessionSummary.mostListed
        if !isComplete {
            client.events.warn("listed only the first \(SessionSummary.mostListed) sessions of the account")
        }
        let now = client.clock.now()
        // Some servers also list expired sessions.
        return SessionList(
            items: items.filter { item in item.isCurrent || item.expiresAt.map { $0 > now } ?? true },
            isComplete: isComplete)
    }

    /// Lists only the current session, after checking it with the server.
    private func onlyKnown(_ active: inout ActiveSession) throws(AuthError) -> SessionList {
        let before = active
        active.user = try failing(as: "cannot list sessions") { () throws(AuthError) in
            try sessions.fetchUser("requesting the session", with: &active)
        }
        sessions.saveUser(of: active, insteadOf: before)
        client.events.note("the server has no list of sessions: there may be more than the one known here")
        let session = active.session
        let item = SessionSummary(
            id: session.idInLists, isCurrent: true, createdAt: session.createdAt, expiresAt: session.expiresAt)
        return SessionList(items: [item], isComplete: false)
    }
}

extension Session {
    /// The id to show for the current session if the server assigns none.
    static let currentID = "current"

    var idInLists: String { id ?? Self.currentID }
}
