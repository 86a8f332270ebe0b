import JSON
internal import SQLite
internal import Transport

extension ParseRoutes {
    /// The largest number of requests in a batch. Parse Server 9.6 added this limit as the option
    /// `requestComplexity.batchRequestLimit`. SDKs send 20 (JavaScript) or 50 (Swift) at once.
    private static let batchLimit = 100

    /// `POST /batch` with `{"requests":[{"method","path","body"}]}` -> 200, one result per request, in order; 107 for
    /// a path without a route, and 108 for a transaction: then no request is carried out.
    ///
    /// A path includes the mount path. All requests use the session of the batch, even if one of them revokes it. They
    /// run one after another, because a later one may depend on an earlier one.
    func batch(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        guard let requests = request.body["requests"]?.array else { throw .refused(.batchNotArray) }
        guard requests.count <= Self.batchLimit else {
            throw .refused(.batchTooLong(requests.count, limit: Self.batchLimit))
        }
        if request.body["transaction"] == true { throw .refused(.batchTransaction) }
        let entries = try requests.map { part throws(RouteError) in try entry(part, of: request) }
        var (results, size, hasEndedSession) = ([JSONValue](), 0, false)
        for entry in entries {
            let response: HTTPResponse
            if !hasEndedSession, try hasEnded(request.caller) {
                // Another client ended the session.
                response = ParseResponses.error(.invalidSessionToken)
            } else if size > ListQuery.largestResponse {
                response = ParseResponses.error(.responseTooLarge)
            } else {
                var request = entry.request
                request.caller = try request.caller.flatMap(current)
                response = try answer(request, entry.route)
                // The other requests go on, as on Parse Server.
                if request.caller?.hasEndedSession == true { hasEndedSession = true }
            }
            results.append(Self.result(response))
            size += response.body.count
        }
        return ParseResponses.value(.array(results))
    }

    private func entry(_ part: JSONValue, of batch: ParseRequest) throws(RouteError) -> BatchEntry {
        let path = part["path"]?.string ?? ""
        let mount = RequestTarget.path(ofURL: settings.baseURL)
        guard path.hasPrefix("\(mount)/"), !path.utf8.contains(where: "?#".utf8.contains) else {
            throw .refused(.batchPathUnroutable(path))
        }
        let below = path.dropFirst(mount.count)
        let method = HTTPRequest.Method(rawValue: part["method"]?.string ?? "")
        let target = RequestTarget("\(settings.baseURL)\(below)", mount: settings.baseURL)
        // The decoded path: `/%62atch` is a batch, too.
        if target.path == ["batch"] { throw .refused(.batchNested) }
        guard let match = Self.match(method, target), match.route.token != .page else {
            throw .refused(.batchRequestUnroutable(method.rawValue, String(below)))
        }
        var request = batch.subrequest(method, target, body: part["body"]?.object ?? [:])
        request.parameters = match.parameters
        return BatchEntry(route: match.route, request: request)
    }

    /// Whether the session of the batch, which was live, has ended.
    private func hasEnded(_ caller: Caller?) throws(RouteError) -> Bool {
        guard let caller else { return false }
        return try stored { () throws(SQLiteError) in
            try sessions.session(id: caller.sessionID, of: caller.userID) == nil
        }
    }

    /// An error of the storage ends the whole batch.
    private func answer(_ request: ParseRequest, _ route: Route) throws(RouteError) -> HTTPResponse {
        do {
            return try route.handler(self)(request)
        } catch {
            switch error {
            case .refused(let refusal): return ParseResponses.error(refusal)
            case .answered(let response): return response
            case .database, .file, .outOfMemory: throw error
            }
        }
    }

    /// The caller with the user as it is now: earlier requests of the batch may have changed it; `nil` if they deleted it.
    private func current(_ caller: Caller) throws(RouteError) -> Caller? {
        try stored { () throws(SQLiteError) in
            guard let user = try users.user(id: caller.userID) else { return nil }
            let current = Caller(
                caller.token, sessionID: caller.sessionID, expiresAt: caller.expiresAt,
                installationID: caller.installationID, user: user)
            current.identities = try identities.identities(of: user.id)
            return current
        }
    }

    private static func result(_ response: HTTPResponse) -> JSONValue {
        // `try?`: all routes of a batch respond with JSON.
        let body = (try? JSONValue(parsing: response.body)) ?? [:]
        guard response.status >= 400 else { return ["success": body] }
        var error = JSONObject()
        error["code"] = body["code"]
        error["error"] = body["error"] ?? body["message"]
        return ["error": .object(error)]
    }
}

/// A request of a batch, and its route.
private struct BatchEntry {
    let route: Route
    let request: ParseRequest
}
