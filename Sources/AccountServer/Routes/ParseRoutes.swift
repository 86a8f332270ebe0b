internal import Platform
package import SQLite
package import Transport

/// The embedded accounts as a Parse server: a request in, an answer out.
///
/// Nothing here waits or hashes: where a password must be hashed, the request pauses as a `Step`. Used by one thread at
/// a time, the one of its database connection.
package struct ParseRoutes {
    let settings: ServerSettings
    let database: Connection

    package init(_ settings: ServerSettings, database: Connection) {
        self.settings = settings
        self.database = database
    }

    /// First match counts: `me` stands before `:id`.
    private static let table: [Route] = [
        Route(.post, "/users") { (routes, request) throws(RouteError) in try routes.signUp(request) },
        Route(.get, "/users/me") { (routes, request) throws(RouteError) in try routes.currentUser(request) },
        // A stale token does no harm here: who logs in again often still has one.
        Route(.post, "/login", token: .ignored) { (routes, request) throws(RouteError) in try routes.logIn(request) },
        Route(.post, "/logout") { (routes, request) throws(RouteError) in try routes.logOut(request) },
        Route(.get, "/sessions") { (routes, request) throws(RouteError) in try routes.listSessions(request) },
        // Words its own refusals.
        Route(.get, "/sessions/me", token: .ignored) { (routes, request) throws(RouteError) in
            try routes.currentSession(request)
        },
        Route(.get, "/sessions/:id") { (routes, request) throws(RouteError) in try routes.session(request) },
        Route(.delete, "/sessions/:id") { (routes, request) throws(RouteError) in try routes.deleteSession(request) },
    ]

    /// Starts a request.
    ///
    /// - Throws: `TransportError` of kind `storage` if the database could not be used. Everything else is an answer.
    package func begin(_ request: HTTPRequest) throws(TransportError) -> Step {
        try answering { () throws(RouteError) in try dispatch(request) }
    }

    /// The order of the checks is Parse's: body, application, session token, route.
    private func dispatch(_ request: HTTPRequest) throws(RouteError) -> Step {
        let target = RequestTarget(request.url, mount: settings.baseURL)
        var parsed = try ParseRequest(request, target: target)
        guard parsed.headers["X-Parse-Application-Id"] == settings.applicationID else {
            throw .answered(.refusal(403, "unauthorized"))
        }
        let match = Self.match(request.method, target)
        if match?.route.token != .ignored { parsed.caller = try caller(of: parsed) }
        guard let match else { throw .answered(ParseAnswer.noSuchRoute(request.method, target.fullPath)) }
        parsed.parameters = match.parameters
        return try match.route.handler(self, parsed)
    }

    private static func match(
        _ method: HTTPRequest.Method, _ target: RequestTarget
    ) -> (route: Route, parameters: [String: String])? {
        for route in table where route.method == method {
            if let parameters = target.parameters(of: route.path) { return (route, parameters) }
        }
        return nil
    }
}

// MARK: - For the handlers

extension ParseRoutes {
    var users: Users { Users(connection: database) }
    var sessions: Sessions { Sessions(connection: database) }
    var now: Timestamp { Timestamp(now: settings.clock) }

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

    /// Pauses the request for a hash.
    func hashing(
        _ job: PasswordJob, then: @escaping (PasswordJob.Outcome) throws(RouteError) -> Step
    ) -> Step {
        .hash(job) { outcome throws(TransportError) in
            try answering { () throws(RouteError) in
                // Without the memory for a hash nothing can be said about a password.
                if outcome == .failed { throw .refused(.internal) }
                return try then(outcome)
            }
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
            }
        }
    }
}
