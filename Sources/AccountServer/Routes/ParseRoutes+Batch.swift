import JSON
internal import Transport

extension ParseRoutes {
    /// The maximum number of requests in a batch. Parse Server 9.6 added this limit as the option
    /// `requestComplexity.batchRequestLimit`, pull request 10265. SDKs send 20 (JavaScript) or 50 (Swift) per batch.
    private static let batchLimit = 100

    /// `POST /batch` with `{"requests":[{"method","path","body"}]}` -> 200, one result per request, in order. Before
    /// any request runs, a path without a route fails the batch with error code 107, and a transaction fails with 108.
    ///
    /// A path includes the mount path. All requests use the session of the batch, even if the session is revoked
    /// meanwhile. The requests run in sequence, because a request may depend on earlier ones. As in Parse Server 9.7
    /// and later (pull request 10371), nested batches are rejected. Source: Parse Server, `batch.js`.
    func batch(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        guard let requests = request.body["requests"]?.array else { throw .refused(107, "requests must be an array") }
        guard requests.count <= Self.batchLimit else {
            throw .refused(
                107,
                "Batch request contains \(requests.count) sub-requests, which exceeds the limit of \(Self.batchLimit).")
        }
        if request.body["transaction"] == true { throw .refused(108, "transactions are not supported") }
        let entries = try requests.map { part throws(RequestError) in try entry(part, of: request) }
        var (results, size) = ([JSONValue](), 0)
        for entry in entries {
            let isTooLarge = size > ListQuery.largestResponse
            let response = try isTooLarge ? ParseResponses.error(.responseTooLarge) : answer(entry.request, entry.route)
            results.append(Self.result(response))
            size += response.body.count
        }
        return ParseResponses.value(.array(results))
    }

    private func entry(
        _ part: JSONValue, of batch: ParseRequest
    ) throws(RequestError) -> (request: ParseRequest, route: Route) {
        let path = part["path"]?.string ?? ""
        let mount = RequestTarget.path(ofURL: settings.baseURL)
        guard path.hasPrefix("\(mount)/"), !path.utf8.contains(where: "?#".utf8.contains) else {
            throw .refused(107, "cannot route batch path \(path)")
        }
        let below = path.dropFirst(mount.count)
        let method = HTTPRequest.Method(rawValue: part["method"]?.string ?? "")
        let target = RequestTarget("\(settings.baseURL)\(below)", mount: settings.baseURL)
        // Compare the decoded path, because `/%62atch` is also the path of a batch.
        if target.path == ["batch"] { throw .refused(107, "nested batch requests are not allowed") }
        guard let match = Self.match(method, target), match.route.token != .page else {
            throw .refused(107, "cannot route \(method.rawValue) \(String(below))")
        }
        var request = batch.subrequest(method, target, body: part["body"]?.object ?? [:])
        request.parameters = match.parameters
        return (request, match.route)
    }

    /// A storage error or a lack of memory ends the whole batch. After any other error, the batch continues, as in
    /// Parse Server.
    private func answer(_ request: ParseRequest, _ route: Route) throws(RequestError) -> HTTPResponse {
        do throws(RequestError) {
            var request = request
            request.caller = try request.caller.flatMap(current)
            return try route.handler(self)(request)
        } catch {
            guard let response = error.response else { throw error }
            return response
        }
    }

    /// The caller with the current data of the user, because earlier requests of the batch may have changed the data.
    /// `nil` if they deleted the user.
    private func current(_ caller: Caller) throws(RequestError) -> Caller? {
        guard let user = try users.user(id: caller.userID) else { return nil }
        var caller = caller
        (caller.user, caller.identities) = (user, try identities.identities(of: user.id))
        return caller
    }

    private static func result(_ response: HTTPResponse) -> JSONValue {
        // `try?`: all routes allowed in a batch respond with JSON.
        let body = (try? JSONValue(parsing: response.body)) ?? [:]
        guard response.status >= 400 else { return ["success": body] }
        var error = JSONObject()
        error["code"] = body["code"]
        error["error"] = body["error"] ?? body["message"]
        return ["error": .object(error)]
    }
}
