import JSON
internal import SQLite

extension ParseRoutes {
    /// `GET /sessions` -> 200 `{"results":[...]}`, the caller's own; with `count` also their number. 102, 209.
    func listSessions(_ request: ParseRequest) throws(RouteError) -> Step {
        let userID = try request.requiredCaller().session.userID
        let query = try SessionQuery(request.target.query)
        let (rows, count) = try stored { () throws(SQLiteError) in
            (
                try sessions.sessions(of: userID, query.page),
                query.wantsCount ? try sessions.count(of: userID) : nil
            )
        }
        let results = rows.map { JSONValue.object(query.selection(from: ParseObjects.session($0))) }
        var object: JSONObject = ["results": .array(results)]
        if let count { object["count"] = .integer(count) }
        return .answer(ParseAnswer.json(object))
    }

    /// `GET /sessions/me` -> 200, the session of the token that was sent; 209.
    ///
    /// Parse Server from 7 on shows an expired session here too; we refuse it as everywhere else.
    func currentSession(_ request: ParseRequest) throws(RouteError) -> Step {
        guard let caller = try caller(of: request, unknown: .sessionTokenNotFound) else {
            throw .refused(.sessionTokenRequired)
        }
        return .answer(ParseAnswer.json(ParseObjects.session(caller.session, token: caller.token)))
    }

    /// `GET /sessions/<id>` -> 200, one of the caller's sessions; 101 for others', 209.
    func session(_ request: ParseRequest) throws(RouteError) -> Step {
        let (id, userID) = try (sessionID(request), request.requiredCaller().session.userID)
        let found = try stored { () throws(SQLiteError) in try sessions.session(id: id, of: userID) }
        guard let session = found else { throw .refused(.objectNotFound) }
        return .answer(ParseAnswer.json(ParseObjects.session(session)))
    }

    /// `DELETE /sessions/<id>` -> 200 `{}`, and the token of that session is worth nothing; 101 for others', 209.
    func deleteSession(_ request: ParseRequest) throws(RouteError) -> Step {
        let (id, userID) = try (sessionID(request), request.requiredCaller().session.userID)
        let wasThere = try stored { () throws(SQLiteError) in try sessions.delete(id: id, of: userID) }
        guard wasThere else { throw .refused(.nothingToDelete) }
        return .answer(ParseAnswer.json([:]))
    }

    private func sessionID(_ request: ParseRequest) -> String { request.parameters["id"] ?? "" }
}
