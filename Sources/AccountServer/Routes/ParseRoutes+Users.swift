import JSON
internal import SQLite

extension ParseRoutes {
    /// `GET /users/<id>` -> 200, the caller himself with his own token; 101 for others: users are private, as from
    /// Parse Server 6 on. What an ACL says of others is kept, not followed.
    func user(_ request: ParseRequest) throws(RouteError) -> Step {
        guard let caller = request.caller, caller.userID == request.pathID, let user = try user(of: caller) else {
            throw .refused(.objectNotFound)
        }
        var object = try shown(user)
        object["sessionToken"] = .string(caller.token.text)
        return .answer(ParseAnswer.json(object))
    }

    /// `GET /users` -> 200 `{"results":[...]}`: whom the caller may see, himself or nobody. 102, 105, 119.
    func listUsers(_ request: ParseRequest) throws(RouteError) -> Step {
        let query = try ListQuery(request.options)
        if query.filter?.conditions.contains(where: { $0.name == "email" }) == true {
            throw .refused(.emailNotQueryable)
        }
        var rows: [JSONObject] = []
        if let caller = request.caller, let user = try user(of: caller) { rows.append(try shown(user)) }
        return answer(rows.filter { query.filter?.matches($0) ?? true }, query)
    }

    /// `DELETE /users/<id>` -> 200 `{}`, and all that belongs to the user is gone; 206 for others.
    func deleteUser(_ request: ParseRequest) throws(RouteError) -> Step {
        guard let caller = request.caller else { throw .refused(.insufficientAuthToDelete) }
        guard caller.userID == request.pathID else { throw .refused(.insufficientAuth) }
        try stored { () throws(SQLiteError) in try users.delete(id: caller.userID) }
        return .answer(ParseAnswer.json([:]))
    }

    /// The page of all rows that the query wants, and their number where it asks for that.
    func answer(_ rows: [JSONObject], _ query: ListQuery) -> Step {
        let page = rows.dropFirst(Int(query.page.skip)).prefix(Int(query.page.limit))
        return answer(page: Array(page), count: query.wantsCount ? Int64(rows.count) : nil, query)
    }

    func answer(page: [JSONObject], count: Int64?, _ query: ListQuery) -> Step {
        var object: JSONObject = ["results": .array(page.map { .object(query.selection(from: $0)) })]
        if let count { object["count"] = .integer(count) }
        return .answer(ParseAnswer.json(object))
    }
}

/// What is not about accounts, and is asked for nevertheless.
extension ParseRoutes {
    /// `GET /config` -> 200: no parameter was ever set.
    func configuration(_ request: ParseRequest) throws(RouteError) -> Step {
        .answer(ParseAnswer.json(["params": [:]]))
    }

    /// `GET /serverInfo`, `GET /schemas` -> 403: there is no master key.
    func refuseWithoutMasterKey(_ request: ParseRequest) throws(RouteError) -> Step {
        throw .answered(.refusal(403, "unauthorized: master key is required"))
    }
}
