import JSON
internal import SQLite
internal import Transport

/// The requests of a batch and the results so far.
private struct Batch {
    struct Entry {
        let route: Route
        let request: ParseRequest
    }

    var waiting: ArraySlice<Entry>
    /// `{"success":…}` or `{"error":{"code":…,"error":…}}`, in the order of the requests.
    var results: [JSONValue] = []
    /// Bytes of the results' bodies.
    var size = 0
    /// The caller of all requests.
    let caller: Caller?
    var session = SessionState.live

    enum SessionState {
        case live
        /// A request of the batch ended the session. The others go on, as on Parse Server.
        case endedByBatch
        /// Another client ended the session, so the rest of the batch gets 209.
        case ended
    }
}

extension ParseRoutes {
    /// The largest number of requests in a batch. Parse Server 9.6 added this limit as the option
    /// `requestComplexity.batchRequestLimit`. SDKs send 20 (JavaScript) or 50 (Swift) at once.
    private static let batchLimit = 100

    /// `POST /batch` with `{"requests":[{"method","path","body"}]}` -> 200, one result per request, in order; 107 for
    /// a path without a route, and 108 for a transaction: then no request is carried out.
    ///
    /// A path includes the mount path. All requests use the session of the batch, even if one of them revokes it. They
    /// run one after another, because a later one may depend on an earlier one.
    func batch(_ request: ParseRequest) throws(RouteError) -> Step {
        guard let requests = request.body["requests"]?.array else { throw .refused(.batchNotArray) }
        guard requests.count <= Self.batchLimit else {
            throw .refused(.batchTooLong(requests.count, limit: Self.batchLimit))
        }
        if request.body["transaction"] == true { throw .refused(.batchTransaction) }
        let entries = try requests.map { part throws(RouteError) in try entry(part, of: request) }
        return try proceed(Batch(waiting: entries[...], caller: request.caller))
    }

    private func entry(_ part: JSONValue, of batch: ParseRequest) throws(RouteError) -> Batch.Entry {
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
        return Batch.Entry(route: match.route, request: request)
    }

    /// Runs the next request.
    private func proceed(_ batch: Batch) throws(RouteError) -> Step {
        var batch = batch
        guard let entry = batch.waiting.popFirst() else {
            return .answer(ParseResponses.value(.array(batch.results)))
        }
        if try hasEnded(batch) { batch.session = .ended }
        if batch.session == .ended {
            return collect(.answer(ParseResponses.error(.invalidSessionToken)), in: batch)
        }
        guard batch.size <= ListQuery.largestResponse else {
            return collect(.answer(ParseResponses.error(.responseTooLarge)), in: batch)
        }
        return collect(try begin(entry), in: batch)
    }

    /// Whether the session of the batch, which was live, has ended.
    private func hasEnded(_ batch: Batch) throws(RouteError) -> Bool {
        guard batch.session == .live, let caller = batch.caller else { return false }
        return try stored { () throws(SQLiteError) in
            try sessions.session(id: caller.sessionID, of: caller.userID) == nil
        }
    }

    /// An error of the storage ends the whole batch.
    private func begin(_ entry: Batch.Entry) throws(RouteError) -> Step {
        do {
            var request = entry.request
            request.caller = try request.caller.flatMap(current)
            return try entry.route.handler(self)(request)
        } catch {
            switch error {
            case .refused(let refusal): return .answer(ParseResponses.error(refusal))
            case .answered(let response): return .answer(response)
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

    /// Adds the result of a request, or pauses the batch with it. The next request is a step of its own, because this one
    /// must not run twice.
    private func collect(_ step: Step, in batch: Batch) -> Step {
        switch step {
        case .answer(let response):
            var batch = batch
            // `try?`: the request was carried out, and must not run again because of an error here.
            if (try? hasEnded(batch)) == true { batch.session = .endedByBatch }
            batch.results.append(Self.result(response))
            batch.size += response.body.count
            let rest = batch
            return continuing { [self] () throws(RouteError) in try proceed(rest) }
        case .next(let rest):
            return .next { [self] () throws(TransportError) in
                try go(on: batch) { () throws(TransportError) in try rest() }
            }
        case .hash(let job, let resume):
            return .hash(job) { [self] completion throws(TransportError) in
                try go(on: batch) { () throws(TransportError) in try resume(completion) }
            }
        case .fetch(let job, let resume):
            return .fetch(job) { [self] completion throws(TransportError) in
                try go(on: batch) { () throws(TransportError) in try resume(completion) }
            }
        }
    }

    /// Goes on with the request of a batch that has paused. Other clients may have ended the session meanwhile.
    private func go(
        on batch: Batch, _ rest: () throws(TransportError) -> Step
    ) throws(TransportError) -> Step {
        var batch = batch
        do throws(RouteError) {
            if try hasEnded(batch) { batch.session = .ended }
        } catch {
            return try answering { () throws(RouteError) in throw error }
        }
        return collect(try rest(), in: batch)
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
