import CSQLite
internal import Platform
package import SQLite
package import Transport

/// The embedded accounts as a Parse server: a request in, an answer out.
///
/// Nothing here waits or hashes: where a password must be hashed or another server asked, the request pauses as a
/// `Step`. Used by one thread at a time, the one of its database connection.
package struct ParseRoutes {
    let settings: ServerSettings
    let database: DatabaseConnection

    package init(_ settings: ServerSettings, database: DatabaseConnection) {
        self.settings = settings
        self.database = database
    }

    /// Starts a request.
    ///
    /// - Throws: `TransportError` of kind `storage` if a file could not be used. Everything else is an answer.
    package func begin(_ request: HTTPRequest) throws(TransportError) -> Step {
        let step = try answering { () throws(RouteError) in try dispatch(request) }
        guard case .answer(let response) = step else { return step }
        let tagged = ConditionalRequest.answer(to: request, response)
        return .answer(request.method == .head && tagged.status != 304 ? ParseAnswer.withoutBody(tagged) : tagged)
    }

    /// The order of the checks is Parse's: body, application and key, session token, route.
    private func dispatch(_ request: HTTPRequest) throws(RouteError) -> Step {
        let target = RequestTarget(request.url, mount: settings.baseURL)
        guard target.isInsideMount else {
            throw .answered(ParseAnswer.noSuchRoute(request.method, target.fullPath))
        }
        // Neither needs to name the application.
        if request.method == .options { return .answer(ParseAnswer.options) }
        if target.path == ["health"] { return .answer(ParseAnswer.json(["status": "ok"])) }
        var parsed = try ParseRequest(request, target: target, application: settings.applicationID)
        let match = Self.match(parsed.method, target)
        if match?.route.token != .page { try admit(parsed.keys) }
        if match?.route.checksToken(target) != false { parsed.caller = try caller(of: parsed) }
        guard let match else { throw .answered(ParseAnswer.noSuchRoute(request.method, target.fullPath)) }
        parsed.parameters = match.parameters
        return try match.route.handler(self)(parsed)
    }

    private func admit(_ keys: RequestKeys) throws(RouteError) {
        let hasKey = settings.clientKey.map { keys.clientKeys.contains(where: $0.matches) } ?? true
        guard keys.applicationID == settings.applicationID, hasKey else {
            throw .answered(.refusal(403, "unauthorized"))
        }
    }

    private static func match(
        _ method: HTTPRequest.Method, _ target: RequestTarget
    ) -> (route: Route, parameters: [String: String])? {
        for route in Route.table where route.method == method {
            if let parameters = target.parameters(of: route.path) { return (route, parameters) }
        }
        return nil
    }
}

// MARK: - For the handlers

extension ParseRoutes {
    var users: Users { Users(connection: database) }
    var sessions: Sessions { Sessions(connection: database) }
    var identities: Identities { Identities(connection: database) }
    var mailTokens: MailTokens { MailTokens(connection: database) }
    var now: Instant { settings.clock.now() }

    /// `nil`: no token was sent.
    func caller(
        of request: ParseRequest, unknown: ParseError = .invalidSessionToken
    ) throws(RouteError) -> ParseRequest.Caller? {
        guard let token = request.sentToken else { return nil }
        let found = try stored { () throws(SQLiteError) in try sessions.session(token: token) }
        guard let session = found else { throw .refused(unknown) }
        // From its very millisecond on.
        guard session.expiresAt > now else { throw .refused(.sessionTokenExpired) }
        return ParseRequest.Caller(token: token, session: session)
    }

    /// Work on the database.
    func stored<Result>(_ body: () throws(SQLiteError) -> Result) throws(RouteError) -> Result {
        do {
            return try body()
        } catch {
            throw .database(error)
        }
    }

    /// Work on the database in one transaction: kept if `body` returns, undone if it throws, be it a refusal.
    func atomically<Result>(_ body: () throws(RouteError) -> Result) throws(RouteError) -> Result {
        var failure: RouteError?
        do throws(SQLiteError) {
            return try database.transaction { () throws(SQLiteError) in
                do throws(RouteError) {
                    return try body()
                } catch {
                    failure = error
                    // Undoes the transaction, and goes no further than the `catch` below.
                    throw SQLiteError(code: ResultCode(rawValue: SQLITE_ABORT), message: "undone")
                }
            }
        } catch {
            throw failure ?? .database(error)
        }
    }

    /// Pauses the request for a hash.
    func hashing(
        _ job: PasswordJob, then: @escaping (PasswordJob.Completion) throws(RouteError) -> Step
    ) -> Step {
        .hash(job) { outcome throws(TransportError) in
            try answering { () throws(RouteError) in
                // Without the memory for a hash nothing can be said about a password.
                if outcome == .failed { throw .refused(.internal) }
                return try then(outcome)
            }
        }
    }

    /// Pauses the request for the stored form of a password.
    func hashing(_ password: String, then: @escaping (_ hash: String) throws(RouteError) -> Step) -> Step {
        hashing(.hash(password, cost: settings.passwordCost)) { outcome throws(RouteError) in
            guard case .hash(let hash) = outcome else { throw .refused(.internal) }
            return try then(hash)
        }
    }

    /// Pauses the request for another server's answer.
    func fetching(_ job: FetchJob, then: @escaping (FetchJob.Completion) throws(RouteError) -> Step) -> Step {
        .fetch(job) { outcome throws(TransportError) in
            try answering { () throws(RouteError) in try then(outcome) }
        }
    }

    private func answering(_ body: () throws(RouteError) -> Step) throws(TransportError) -> Step {
        do {
            return try body()
        } catch {
            switch error {
            case .refused(let error): return .answer(ParseAnswer.error(error))
            case .answered(let response): return .answer(response)
            case .database(let error): throw StorageProblem.translate(error, settings.database.path)
            case .file(let error): throw TransportError(error)
            }
        }
    }
}
