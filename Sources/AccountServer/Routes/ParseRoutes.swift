import CSQLite
internal import Platform
package import SQLite
package import Transport

/// The local accounts as a Parse server: turns requests into responses.
///
/// Nothing here blocks: if a password must be hashed or another server is needed, the request pauses as a `Step`. Use
/// it from one thread at a time, the one of its database connection.
package final class ParseRoutes {
    let settings: ServerSettings
    let database: DatabaseConnection
    let installations: Installations
    let loginAttempts: LoginAttempts

    package convenience init(_ settings: ServerSettings, database: DatabaseConnection) {
        self.init(settings, database, Installations(), LoginAttempts())
    }

    private init(
        _ settings: ServerSettings, _ database: DatabaseConnection, _ installations: Installations,
        _ loginAttempts: LoginAttempts
    ) {
        self.settings = settings
        self.database = database
        self.installations = installations
        self.loginAttempts = loginAttempts
    }

    /// The base URL of the routes.
    package var url: String { settings.baseURL }

    /// The same routes with another destination for e-mails; `nil`: none is sent.
    package func mailing(to outlet: (any MailOutlet)?) -> ParseRoutes {
        var settings = settings
        settings.mail = outlet
        return ParseRoutes(settings, database, installations, loginAttempts)
    }

    /// Removes what requests for unknown addresses left. Call it between requests.
    package func removeDiscardedMails() { settings.mail?.removeDiscarded() }

    /// Deletes sessions, mail tokens and counters that have expired. A login also deletes expired sessions, an e-mail
    /// deletes expired mail tokens, and a wrong password deletes expired counters.
    ///
    /// - Throws: `TransportError` of kind `storage`.
    package func deleteExpired() throws(TransportError) {
        let now = now
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in
                try sessions.deleteExpired(at: now)
                try mailTokens.deleteExpired(at: now)
                try counters.deleteExpired(at: now)
            }
        } catch {
            throw StorageProblem.translate(error, settings.database?.path ?? "memory")
        }
    }

    /// Starts a request.
    ///
    /// - Throws: `TransportError` of kind `storage` if a file could not be used. All other errors are responses.
    package func begin(_ request: HTTPRequest) throws(TransportError) -> Step {
        let step = try answering { () throws(RouteError) in try dispatch(request) }
        guard case .answer(let response) = step else { return step }
        let tagged = ConditionalRequest.answer(to: request, response)
        return .answer(request.method == .head && tagged.status != 304 ? tagged.withoutBody : tagged)
    }

    /// Checks in Parse's order: body, application and key, session token, route.
    private func dispatch(_ request: HTTPRequest) throws(RouteError) -> Step {
        let target = RequestTarget(request.url, mount: settings.baseURL)
        guard target.isInsideMount else {
            throw .answered(ParseResponses.noSuchRoute(request.method, target.fullPath))
        }
        // These two require no application id.
        if request.method == .options { return .answer(ParseResponses.options) }
        if target.path == ["health"] { return .answer(ParseResponses.json(["status": "ok"])) }
        var parsed = try ParseRequest(request, target: target, application: settings.applicationID)
        let match = Self.match(parsed.method, target)
        if match?.route.token != .page { try admit(parsed.keys) }
        if match?.route.checksToken(parsed.target) != false { parsed.caller = try caller(of: parsed) }
        guard let match else { throw .answered(ParseResponses.noSuchRoute(request.method, target.fullPath)) }
        parsed.parameters = match.parameters
        return try match.route.handler(self)(parsed)
    }

    private func admit(_ keys: RequestKeys) throws(RouteError) {
        let hasKey = settings.clientKey.map { keys.clientKeys.contains(where: $0.matches) } ?? true
        guard keys.applicationID == settings.applicationID, hasKey else {
            throw .answered(.refusal(403, "unauthorized"))
        }
    }

    static func match(
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
    var counters: Counters { Counters(connection: database) }
    var now: Instant { settings.clock.now() }

    /// `nil`: no token was sent.
    func caller(
        of request: ParseRequest, unknown: ParseError = .invalidSessionToken
    ) throws(RouteError) -> Caller? {
        guard let token = request.sentToken else { return nil }
        let found = try stored { () throws(SQLiteError) in try sessions.caller(token) }
        guard let caller = found else { throw .refused(unknown) }
        // Expired from that millisecond on.
        guard caller.expiresAt > now else { throw .refused(.sessionTokenExpired) }
        return caller
    }

    /// Runs database work and maps its errors.
    func stored<Result>(_ body: () throws(SQLiteError) -> Result) throws(RouteError) -> Result {
        do {
            return try body()
        } catch {
            throw .database(error)
        }
    }

    /// Runs `body` in one transaction: commits if it returns, rolls back if it throws, even for a rejected request.
    func atomically<Result>(_ body: () throws(RouteError) -> Result) throws(RouteError) -> Result {
        var failure: RouteError?
        do throws(SQLiteError) {
            return try database.transaction { () throws(SQLiteError) in
                do throws(RouteError) {
                    return try body()
                } catch {
                    failure = error
                    // Rolls the transaction back; the `catch` below replaces this error.
                    throw SQLiteError(code: ResultCode(rawValue: SQLITE_ABORT), message: "undone")
                }
            }
        } catch {
            throw failure ?? .database(error)
        }
    }

    /// Ends the part of the request that must not run twice.
    func continuing(_ rest: @escaping () throws(RouteError) -> Step) -> Step {
        .next { [self] () throws(TransportError) in try answering(rest) }
    }

    /// Pauses the request until the hash is computed.
    func hashing(
        _ job: PasswordJob, then: @escaping (PasswordJob.Completion) throws(RouteError) -> Step
    ) -> Step {
        .hash(job) { [self] outcome throws(TransportError) in
            try answering { () throws(RouteError) in
                // Without enough memory for the hash, the password is neither right nor wrong.
                if outcome == .failed { throw .outOfMemory }
                return try then(outcome)
            }
        }
    }

    /// Pauses the request until the new password's stored form is computed.
    func hashing(_ password: String, then: @escaping (_ hash: String) throws(RouteError) -> Step) -> Step {
        hashing(.hash(password, cost: settings.passwordCost)) { outcome throws(RouteError) in
            guard case .hash(let hash) = outcome else { throw .refused(.internal) }
            return try then(hash)
        }
    }

    /// Pauses the request until another server responds.
    func fetching(_ job: FetchJob, then: @escaping (FetchJob.Completion) throws(RouteError) -> Step) -> Step {
        .fetch(job) { [self] outcome throws(TransportError) in
            try answering { () throws(RouteError) in try then(outcome) }
        }
    }

    func answering(_ body: () throws(RouteError) -> Step) throws(TransportError) -> Step {
        do {
            return try body()
        } catch {
            switch error {
            case .refused(let error): return .answer(ParseResponses.error(error))
            case .answered(let response): return .answer(response)
            case .database(let error): throw StorageProblem.translate(error, settings.database?.path ?? "memory")
            case .file(let error): throw TransportError(error)
            case .outOfMemory where settings.isInProcess: throw .outOfMemory
            case .outOfMemory: return .answer(ParseResponses.error(.internal))
            }
        }
    }
}
