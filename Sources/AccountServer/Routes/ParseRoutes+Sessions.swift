import JSON
internal import SQLite

extension ParseRoutes {
    /// `GET /sessions` -> 200 `{"results":[...]}`, the caller's sessions; with `count` also their number. 102, 105,
    /// 209.
    func listSessions(_ request: ParseRequest) throws(RouteError) -> Step {
        let caller = try request.requiredCaller()
        let query = try ListQuery(request.options)
        let user = query.includesUser ? try user(of: caller).map { user throws(RouteError) in try shown(user) } : nil
        guard let filter = query.filter else {
            let (rows, count) = try page(of: caller.userID, query)
            return answer(page: rows.map { row($0, user) }, count: count, query)
        }
        let all = try stored { () throws(SQLiteError) in
            try sessions.sessions(of: caller.userID, query.page.order)
        }
        // The filter sees the user as a pointer, even if the response includes the whole user.
        let matching = all.filter { filter.matches(ParseObjects.session($0)) }
        return answer(matching.map { row($0, user) }, query)
    }

    private func page(of userID: String, _ query: ListQuery) throws(RouteError) -> (rows: [SessionRow], count: Int64?) {
        try stored { () throws(SQLiteError) in
            (
                try sessions.sessions(of: userID, query.page),
                query.wantsCount ? try sessions.count(of: userID) : nil
            )
        }
    }

    private func row(_ session: SessionRow, _ user: JSONObject?) -> JSONObject {
        var row = ParseObjects.session(session)
        guard var user else { return row }
        user["__type"] = "Object"
        user["className"] = "_User"
        row["user"] = .object(user)
        return row
    }

    /// `GET /sessions/me` -> 200, the session of the sent token; 209.
    ///
    /// Parse Server 7 and later also shows an expired session here; this server rejects it as on all other routes.
    func currentSession(_ request: ParseRequest) throws(RouteError) -> Step {
        guard let caller = try caller(of: request, unknown: .sessionTokenNotFound) else {
            throw .refused(.sessionTokenRequired)
        }
        return .answer(ParseResponses.json(ParseObjects.session(caller.session, token: caller.token)))
    }

    /// `GET /sessions/<id>` -> 200, a session of the caller; 101 for other users' sessions, 209.
    func session(_ request: ParseRequest) throws(RouteError) -> Step {
        let session = try session(request, of: request.requiredCaller())
        return .answer(ParseResponses.json(ParseObjects.session(session)))
    }

    private func session(_ request: ParseRequest, of caller: ParseRequest.Caller) throws(RouteError) -> SessionRow {
        let found = try stored { () throws(SQLiteError) in
            try sessions.session(id: request.pathID, of: caller.userID)
        }
        guard let session = found else { throw .refused(.objectNotFound) }
        return session
    }

    /// `DELETE /sessions/<id>` -> 200 `{}`, and the session is revoked; 101 for other users' sessions, 209.
    func deleteSession(_ request: ParseRequest) throws(RouteError) -> Step {
        let userID = try request.requiredCaller().userID
        let wasThere = try stored { () throws(SQLiteError) in try sessions.delete(id: request.pathID, of: userID) }
        guard wasThere else { throw .refused(.nothingToDelete) }
        return .answer(ParseResponses.json([:]))
    }
}

// MARK: - Writing

extension ParseRoutes {
    /// Fields that the server sets. On creation the client's values are ignored; on update they are rejected.
    private static let lockedFields: Set<String> = [
        "sessionToken", "user", "installationId", "expiresAt", "createdWith",
    ]
    private static let reservedFields = lockedFields.union(["objectId", "createdAt", "updatedAt"])

    /// `POST /sessions` -> 201, a new session of the caller, with its token; 105, 107, 108, 209.
    ///
    /// The new session has no installation id: with the caller's it would replace the caller's own session.
    func createSession(_ request: ParseRequest) throws(RouteError) -> Step {
        let caller = try request.requiredCaller(.sessionTokenRequired)
        if request.body["ACL"] != nil { throw .refused(.sessionACL) }
        var session = newSession(of: caller.userID, .created, installationID: nil)
        session.fields = try FieldChanges(request.body, except: Self.reservedFields)
            .applied(to: nil, className: "_Session").fields
        let token = SessionToken(from: settings.randomness)
        let made = session
        try atomically { () throws(RouteError) in
            _ = try user(revalidating: caller)
            try stored { () throws(SQLiteError) in try sessions.insert(made, token: token) }
        }
        return .answer(ParseResponses.json(ParseObjects.newSession(session, token: token), status: 201))
    }

    /// `PUT /sessions/<id>` -> 200, `updatedAt` and the results of operations; 105 for fields that the server sets, 101
    /// for other users' sessions, 107, 108, 111, 209.
    func updateSession(_ request: ParseRequest) throws(RouteError) -> Step {
        let caller = try request.requiredCaller(.sessionTokenRequired)
        if request.body["ACL"] != nil { throw .refused(.sessionACL) }
        if request.body.names.contains(where: Self.lockedFields.contains) { throw .refused(.sessionFieldLocked) }
        let changes = try FieldChanges(request.body, except: Self.reservedFields)
        let now = now
        let results = try atomically { () throws(RouteError) in
            let session = try session(request, of: caller)
            let (fields, results) = try changes.applied(to: session.fields, className: "_Session")
            try stored { () throws(SQLiteError) in try sessions.setFields(fields, of: session.id, at: now) }
            return results
        }
        var answer: JSONObject = ["updatedAt": .string(now.textWithMilliseconds)]
        answer.members += results.members
        return .answer(ParseResponses.json(answer))
    }
}
