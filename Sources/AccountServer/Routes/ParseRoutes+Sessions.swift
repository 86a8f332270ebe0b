import JSON
internal import Transport

extension ParseRoutes {
    /// `GET /sessions` -> 200 `{"results":[...]}`, the caller's sessions; if the query contains `count`, also the
    /// number of matches. Error codes: 102, 105, 107, 116, 154, 209.
    func listSessions(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let caller = try request.requiredCaller()
        let query = try ListQuery(request.options)
        let user = query.selection.includesUser ? ParseObjects.caller(caller) : nil
        try ListQuery.requireSize(try sessions.size(of: caller.userID))
        // For the filter, `user` is a pointer, even if the response includes the whole user.
        let rows = try sessions.sessions(of: caller.userID).map { ParseObjects.session($0, for: caller) }
        return try answer(rows, query, request) { Self.row($0, including: user) }
    }

    private static func row(_ session: JSONObject, including user: JSONObject?) -> JSONObject {
        guard let user else { return session }
        var row = session
        row["user"] = .object(user)
        return row
    }

    /// `GET /sessions/me` -> 200, the session of the caller's token; error code 209.
    ///
    /// On this route, Parse Server 7 and later accepts an expired session. This server rejects it, as on all routes.
    func currentSession(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        guard let caller = try caller(of: request, unknown: .sessionTokenNotFound) else {
            throw .refused(.sessionTokenRequired)
        }
        let session = try session(caller.sessionID, of: caller)
        return ParseResponses.json(ParseObjects.session(session, for: caller))
    }

    /// `GET /sessions/<id>` -> 200, a session of the caller; error codes: 101 for an unknown session or another user's
    /// session, 102, 209.
    func session(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let caller = try request.requiredCaller()
        let selection = try FieldSelection(request.options)
        let row = ParseObjects.session(try session(request.pathID, of: caller), for: caller)
        let user = selection.includesUser ? ParseObjects.caller(caller) : nil
        return ParseResponses.json(selection.selected(from: Self.row(row, including: user)))
    }

    private func session(_ id: String, of caller: Caller) throws(RequestError) -> SessionRow {
        guard let session = try sessions.session(id: id, of: caller.userID) else { throw .refused(.objectNotFound) }
        return session
    }

    /// `DELETE /sessions/<id>` -> 200 `{}`; revokes the session; error codes: 101 for an unknown session or another
    /// user's session, 209.
    func deleteSession(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let caller = try request.requiredCaller()
        guard try sessions.delete(id: request.pathID, of: caller.userID) else {
            throw .refused(101, "Object not found for delete.")
        }
        return ParseResponses.json([:])
    }
}

// MARK: - Writing

extension ParseRoutes {
    /// Fields that the server sets. They are ignored when a session is created. An update that contains them is
    /// rejected.
    private static let lockedFields: Set<String> = [
        "sessionToken", "user", "installationId", "expiresAt", "createdWith",
    ]
    private static let reservedFields = lockedFields.union(["objectId", "createdAt", "updatedAt"])

    /// `POST /sessions` -> 201, a new session of the caller, with its token; error codes: 105, 107, 108, 116, 209.
    ///
    /// The new session has no installation id, so it does not replace the caller's session.
    func createSession(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let caller = try request.requiredCaller(.sessionTokenRequired)
        if request.body["ACL"] != nil { throw .refused(.sessionACL) }
        var session = newSession(of: caller.userID, .created, installationID: nil)
        session.fields = try FieldChanges(request.body, except: Self.reservedFields)
            .applied(to: [:], className: "_Session").fields
        let token = SessionToken(from: settings.randomness)
        try database.transaction { () throws(RequestError) in
            _ = try user(revalidating: caller)
            try sessions.insert(session, token: token)
        }
        let location = "\(settings.baseURL)/classes/_Session/\(session.id)"
        return ParseResponses.json(ParseObjects.newSession(session, token: token), status: 201, location: location)
    }

    /// `POST /upgradeToRevocableSession` -> 200, a new session of the caller, with its token; error codes: 101 without a
    /// token, 209. Older SDKs send it. Source: Parse Server, `SessionsRouter.js`.
    func upgradeSession(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        guard let caller = request.caller else { throw .refused(101, "invalid session") }
        let session = newSession(of: caller.userID, .upgraded, installationID: request.installationID)
        let token = SessionToken(from: settings.randomness)
        try database.transaction { () throws(RequestError) in
            _ = try user(revalidating: caller)
            try sessions.insert(session, token: token)
        }
        return ParseResponses.json(ParseObjects.newSession(session, token: token))
    }

    /// `PUT /sessions/<id>` -> 200, `updatedAt` and the results of operations; error codes: 101 for an unknown session
    /// or another user's session, 105, 107, 108, 111, 116, 209.
    func updateSession(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let caller = try request.requiredCaller(.sessionTokenRequired)
        if request.body["ACL"] != nil { throw .refused(.sessionACL) }
        if request.body.names.contains(where: Self.lockedFields.contains) { throw .refused(.sessionFieldLocked) }
        let changes = try FieldChanges(request.body, except: Self.reservedFields)
        let now = now
        let results = try database.transaction { () throws(RequestError) in
            let session = try session(request.pathID, of: caller)
            let (fields, results) = try changes.applied(to: session.fields, className: "_Session")
            try sessions.setFields(fields, of: session.id, at: now)
            return results
        }
        var answer: JSONObject = ["updatedAt": .string(now.textWithMilliseconds)]
        answer.members += results.members
        return ParseResponses.json(answer)
    }
}
