import JSON
internal import Transport

extension ParseRoutes {
    /// `GET /users/me` -> 200, the user with `__type`, `className` and the caller's session token; error code 209.
    func currentUser(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let caller = try request.requiredCaller()
        var object = ParseObjects.caller(caller)
        object["sessionToken"] = .string(caller.token.text)
        return ParseResponses.json(object)
    }

    /// `POST /logout` -> 200 `{}`, even without a token; error code 209 for an invalid or expired token.
    ///
    /// A request from this process with a master key and the id of a `user` ends all sessions of this user.
    func logOut(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        if isAdministrator(request), let id = request.body["user"]?.string {
            try sessions.deleteAll(of: id)
        } else if let caller = request.caller {
            _ = try sessions.delete(id: caller.sessionID, of: caller.userID)
        }
        return ParseResponses.json([:])
    }

    /// `GET /users/<id>` -> 200, the caller with the token, or a user readable by the caller; error codes: 101, 102.
    /// A request from this process with a master key returns the complete user.
    ///
    /// Users without an ACL are private, as in Parse Server 6 and later. Write access for others in an ACL is stored
    /// but not applied, because it would let others change the user's password.
    func user(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let selection = try FieldSelection(request.options)
        let caller = request.caller
        let isAdmin = isAdministrator(request)
        guard let user = try users.user(id: request.pathID), isAdmin || user.isReadable(by: caller?.userID) else {
            throw .refused(.objectNotFound)
        }
        var object = selection.selected(from: try shown(user, to: isAdmin ? user.id : caller?.userID))
        if let caller, caller.userID == user.id { object["sessionToken"] = .string(caller.token.text) }
        return ParseResponses.json(object)
    }

    /// `GET /users` -> 200 `{"results":[...]}`, the users that the caller may read; error codes: 102, 105, 107, 116,
    /// 119, 154.
    ///
    /// If a request from this process contains `after`, the results are the first `limit` users whose ids are greater
    /// than `after`, regardless of their ACLs. With `named`, the results are the users with this username or address. With
    /// `hashes`, they have `_hashed_password`.
    func listUsers(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        if settings.isInProcess, let found = try users(in: request.options) {
            let rows = try found.map { user throws(RequestError) in
                var row = try shown(user)
                if request.options["hashes"] != nil { row[ParseObjects.hashMember] = JSONValue(user.passwordHash) }
                return row
            }
            return ParseResponses.json(["results": .array(rows.map { .object($0) })])
        }
        let query = try ListQuery(request.options)
        if query.filter?.concerns("email") == true {
            throw .refused(119, "This user is not allowed to query email on class _User")
        }
        let caller = request.caller?.userID
        let ids = query.filter?.objectIDs
        let size = try users.size(readableBy: caller, among: ids)
        try ListQuery.requireSize(size)
        return try large(request.isLarge ? 0 : Int(size), request.isAbandoned) { () throws(RequestError) in
            // Filter and sort the users in the form that the caller sees, so that the result reveals no hidden field.
            let rows = try users.users(readableBy: caller, among: ids)
                .map { user throws(RequestError) in try shown(user, to: caller) }
            return try answer(rows, query, request)
        }
    }

    private func users(in options: JSONObject) throws(RequestError) -> [UserRow]? {
        if let name = options["named"]?.string {
            let (first, second) = (try users.user(username: name), try users.user(email: name))
            return [first, second?.id == first?.id ? nil : second].compactMap(\.self)
        }
        guard let id = options["after"]?.string else { return nil }
        return try users.users(after: id, limit: options["limit"]?.string.flatMap { Int64($0) } ?? 100)
    }

    private func shown(_ user: UserRow, to caller: String?) throws(RequestError) -> JSONObject {
        caller == user.id ? try shown(user) : ParseObjects.otherUser(user)
    }

    func isAdministrator(_ request: ParseRequest) -> Bool {
        settings.isInProcess && request.keys.hasMasterKey
    }

    /// `DELETE /users/<id>` -> 200 `{}`, and the user's data are deleted; error code 206 if the caller is not this
    /// user. A request from this process with a master key deletes any user; error code 101 for an unknown id.
    func deleteUser(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        if isAdministrator(request) {
            guard let user = try users.user(id: request.pathID) else { throw .refused(.objectNotFound) }
            try users.delete(id: user.id)
            return ParseResponses.json([:])
        }
        guard let caller = request.caller else { throw .refused(206, "Insufficient auth to delete user") }
        guard caller.userID == request.pathID else { throw .refused(.insufficientAuth) }
        try users.delete(id: caller.userID)
        return ParseResponses.json([:])
    }

    /// The requested page of the rows, and the number of all matching rows if the query requests it.
    ///
    /// - Parameter completed: returns a row in its final form; called after filtering and sorting.
    func answer(
        _ rows: [JSONObject], _ query: ListQuery, _ request: ParseRequest,
        completed: (JSONObject) -> JSONObject = { $0 }
    ) throws(RequestError) -> HTTPResponse {
        var budget = QueryBudget(isAbandoned: request.isAbandoned)
        var matching = rows
        if let filter = query.filter {
            matching = []
            for row in rows where try filter.matches(row, &budget) { matching.append(row) }
        }
        let sorted = try matching.sorted(by: query.order, &budget)
        let page = sorted.dropFirst(Int(query.skip)).prefix(Int(query.limit)).map(completed)
        guard page.reduce(0, { $0 + JSONValue.object($1).size }) <= ListQuery.largestResponse else {
            throw .refused(.responseTooLarge)
        }
        var object: JSONObject = ["results": .array(page.map { .object(query.selection.selected(from: $0)) })]
        if query.wantsCount { object["count"] = .integer(Int64(matching.count)) }
        return ParseResponses.json(object)
    }
}
