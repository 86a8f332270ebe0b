import JSON
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
        return try proceed(Batch(waiting: entries[...]))
    }

    private func entry(_ part: JSONValue, of batch: ParseRequest) throws(RouteError) -> Batch.Entry {
        let path = part["path"]?.string ?? ""
        let mount = RequestTarget.path(ofURL: settings.baseURL)
        guard path.hasPrefix("\(mount)/"), !path.utf8.contains(where: "?#".utf8.contains) else {
            throw .refused(.batchPathUnroutable(path))
        }
        let below = path.dropFirst(mount.count)
        if below == "/batch" { throw .refused(.batchNested) }
        let method = HTTPRequest.Method(rawValue: part["method"]?.string ?? "")
        let target = RequestTarget("\(settings.baseURL)\(below)", mount: settings.baseURL)
        guard let match = Self.match(method, target), match.route.token != .page else {
            throw .refused(.batchRequestUnroutable(method.rawValue, String(below)))
        }
        var request = batch.subrequest(method, target, body: part["body"]?.object ?? [:])
        request.parameters = match.parameters
        return Batch.Entry(route: match.route, request: request)
    }

    /// Runs the requests until the last one is answered or one of them pauses.
    private func proceed(_ batch: Batch) throws(RouteError) -> Step {
        var batch = batch
        while let entry = batch.waiting.popFirst() {
            guard let paused = collect(try begin(entry), in: &batch) else { continue }
            return paused
        }
        return .answer(ParseResponses.value(.array(batch.results)))
    }

    /// An error of the storage ends the whole batch.
    private func begin(_ entry: Batch.Entry) throws(RouteError) -> Step {
        do {
            return try entry.route.handler(self)(entry.request)
        } catch {
            switch error {
            case .refused(let refusal): return .answer(ParseResponses.error(refusal))
            case .answered(let response): return .answer(response)
            case .database, .file, .outOfMemory: throw error
            }
        }
    }

    /// Adds the result of a request.
    ///
    /// - Returns: if the request pauses, the paused batch.
    private func collect(_ step: Step, in batch: inout Batch) -> Step? {
        let rest: Batch
        switch step {
        case .answer(let response):
            batch.results.append(Self.result(response))
            return nil
        case .hash(let job, let resume):
            rest = batch
            return .hash(job) { completion throws(TransportError) in
                try self.resume(rest, with: try resume(completion))
            }
        case .fetch(let job, let resume):
            rest = batch
            return .fetch(job) { completion throws(TransportError) in
                try self.resume(rest, with: try resume(completion))
            }
        }
    }

    private func resume(_ batch: Batch, with step: Step) throws(TransportError) -> Step {
        try answering { () throws(RouteError) in
            var batch = batch
            if let paused = collect(step, in: &batch) { return paused }
            return try proceed(batch)
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
