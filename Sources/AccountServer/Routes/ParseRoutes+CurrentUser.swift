import JSON
internal import SQLite
internal import Transport

extension ParseRoutes {
    /// `GET /users/me` -> 200, the user with `__type`, `className` and the caller's own token; 209.
    func currentUser(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        let caller = try request.requiredCaller()
        var object = ParseObjects.user(caller.user, caller.identities)
        object["__type"] = "Object"
        object["className"] = "_User"
        object["sessionToken"] = .string(caller.token.text)
        return ParseResponses.json(object)
    }

    /// `POST /logout` -> 200 `{}`, even without a token; 209.
    func logOut(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        if let caller = request.caller {
            _ = try stored { () throws(SQLiteError) in
                try sessions.delete(id: caller.sessionID, of: caller.userID)
            }
            caller.hasEndedSession = true
        }
        return ParseResponses.json([:])
    }
}
