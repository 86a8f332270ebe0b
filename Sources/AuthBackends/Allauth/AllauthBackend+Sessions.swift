import AuthModel

extension AllauthBackend: SessionListing {
    func sessions(of session: Session) throws(AuthError) -> Reply<[SessionSummary]> {
        try following(session) { session throws(AuthError) in
            let answer = try send(.listSessions, as: &session, endpoints.sessions)
            return AllauthPayloads.sessions(answer.data).sorted { later($0, $1) }
        }
    }

    /// Revoking the current session returns 401.
    func endSession(id: String, of session: Session) throws(AuthError) -> Reply<Void> {
        guard let number = Int64(id) else { throw AuthError(.notFound, "unknown session") }
        return try following(session) { session throws(AuthError) in
            let answer = try send(.revokeSessions, as: &session) { endpoints.endSession(id: number, $0) }
            // A JWT that has expired meanwhile also gets 401, and then no session was revoked.
            guard answer.status == 200 || !session.hasExpired(at: clock.now()) else {
                throw AuthError(.sessionExpired, "the session has expired")
            }
        }
    }

    private func later(_ left: SessionSummary, _ right: SessionSummary) -> Bool {
        guard let first = left.createdAt, let second = right.createdAt else { return left.createdAt != nil }
        return first > second
    }
}
