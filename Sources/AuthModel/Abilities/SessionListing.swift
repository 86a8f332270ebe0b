package import Platform

/// A backend whose server tells a user's sessions and ends them one by one.
package protocol SessionListing: Backend {
    /// All sessions of the user, the latest first, every page read.
    func sessions(of session: Session) throws(AuthError) -> Reply<[SessionSummary]>

    /// Ends one session of the same user; an id that is not theirs is `notFound`.
    func endSession(id: String, of session: Session) throws(AuthError) -> Reply<Void>
}

/// One session in a list: never its token.
package struct SessionSummary: Sendable, Equatable {
    package var id: String
    /// Whether it is the one that asked.
    package var isCurrent: Bool
    package var createdAt: Instant?
    package var expiresAt: Instant?
    package var lastSeenAt: Instant?
    /// How it came to be, in the server's words: `password`, `facebook`, `anonymous`, …
    package var createdWith: String?
    package var device: String?
    package var address: String?

    package init(
        id: String, isCurrent: Bool, createdAt: Instant? = nil, expiresAt: Instant? = nil, lastSeenAt: Instant? = nil,
        createdWith: String? = nil, device: String? = nil, address: String? = nil
    ) {
        self.id = id
        self.isCurrent = isCurrent
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastSeenAt = lastSeenAt
        self.createdWith = createdWith
        self.device = device
        self.address = address
    }
}
