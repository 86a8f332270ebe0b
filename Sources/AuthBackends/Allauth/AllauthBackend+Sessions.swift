import AuthModel

extension AllauthBackend: SessionListing {
    func sessions(of session: Session) throws(AuthError) -> Reply<[SessionSummary]> {
        let answer = try send(endpoints.sessions(session), .sessions)
        let items = AllauthPayloads.sessions(answer.data).sorted { later($0, $1) }
        return Reply(items, replacement: session.replaced(by: answer))
    }

    /// One's own is ended with 401.
    func endSession(id: String, of session: Session) throws(AuthError) -> Reply<Void> {
        guard let number = Int64(id) else { throw AuthError(.notFound, "there is no such session") }
        let answer = try send(endpoints.endSession(id: number, session), .endSession)
        return Reply((), replacement: session.replaced(by: answer))
    }

    private func later(_ left: SessionSummary, _ right: SessionSummary) -> Bool {
        guard let first = left.createdAt, let second = right.createdAt else { return left.createdAt != nil }
        return first > second
    }
}
