import JSON
internal import SQLite

extension ParseRoutes {
    /// `GET /users/<id>` -> 200, the caller with its own token; 101 for other users: users are private, as in Parse
    /// Server 6 and later. Access that an ACL gives to other users is stored, but not applied.
    func user(_ request: ParseRequest) throws(RouteError) -> Step {
        guard let caller = request.caller, caller.userID == request.pathID, let user = try user(of: caller) else {
            throw .refused(.objectNotFound)
        }
        var object = try shown(user)
        object["sessionToken"] = .string(caller.token.text)
        return .answer(ParseResponses.json(object))
    }

    /// `GET /users` -> 200 `{"results":[...]}`: only the caller; empty without a session. 102, 105, 119.
    func listUsers(_ request: ParseRequest) throws(RouteError) -> Step {
        let query = try ListQuery(request.options)
        if query.filter?.conditions.contains(where: { $0.name == "email" }) == true {
            throw .refused(.emailNotQueryable)
        }
        var rows: [JSONObject] = []
        if let caller = request.caller, let user = try user(of: caller) { rows.append(try shown(user)) }
        return answer(rows.filter { query.filter?.matches($0) ?? true }, query)
    }

    /// `DELETE /users/<id>` -> 200 `{}`, and the user's data are deleted; 206 for other users.
    func deleteUser(_ request: ParseRequest) throws(RouteError) -> Step {
        guard let caller = request.caller else { throw .refused(.insufficientAuthToDelete) }
        guard caller.userID == request.pathID else { throw .refused(.insufficientAuth) }
        try stored { () throws(SQLiteError) in try users.delete(id: caller.userID) }
        return .answer(ParseResponses.json([:]))
    }

    /// The requested page of the rows, and their number if the query asks for it.
    func answer(_ rows: [JSONObject], _ query: ListQuery) -> Step {
        let page = rows.dropFirst(Int(query.page.skip)).prefix(Int(query.page.limit))
        return answer(page: Array(page), count: query.wantsCount ? Int64(rows.count) : nil, query)
    }

    func answer(page: [JSONObject], count: Int64?, _ query: ListQuery) -> Step {
        var object: JSONObject = ["results": .array(page.map { .object(query.selection(from: $0)) })]
        if let count { object["count"] = .integer(count) }
        return .answer(ParseResponses.json(object))
    }
}

/// Parse routes that do not concern accounts, but that clients request.
extension ParseRoutes {
    /// `GET /config` -> 200, always without parameters.
    func configuration(_ request: ParseRequest) throws(RouteError) -> Step {
        .answer(ParseResponses.json(["params": [:]]))
    }

    /// `GET /serverInfo`, `GET /schemas` -> 403, because there is no master key.
    func refuseWithoutMasterKey(_ request: ParseRequest) throws(RouteError) -> Step {
        throw .answered(.refusal(403, "unauthorized: master key is required"))
    }
}
