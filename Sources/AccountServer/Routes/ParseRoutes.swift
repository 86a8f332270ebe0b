import CSQLite
internal import Platform
internal import SQLite
package import Transport

/// The local accounts as a Parse server: turns requests into responses.
///
/// Several threads may use it at once. A request runs on its thread from the first line of its route to the response.
package final class ParseRoutes: Sendable {
    let settings: ServerSettings
    let database: GuardedDatabase
    let installations: Installations
    let loginAttempts: LoginAttempts

    package convenience init(_ settings: ServerSettings, database: GuardedDatabase) {
        self.init(settings, database, Installations(), LoginAttempts())
    }

    private init(
        _ settings: ServerSettings, _ database: GuardedDatabase, _ installations: Installations,
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

    /// Answers a request.
    ///
    /// - Parameter isAbandoned: whether no client waits for the response any more. Passwords are then not hashed.
    /// - Throws: `TransportError` of kind `storage` if a file could not be used. All other errors are responses.
    package func answer(
        to request: HTTPRequest, isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) throws(TransportError) -> HTTPResponse {
        do throws(RouteError) {
            let response = try dispatch(request, isAbandoned)
            let tagged = ConditionalRequest.answer(to: request, response)
            return request.method == .head && tagged.status != 304 ? tagged.withoutBody : tagged
        } catch {
            let response = try Self.response(to: error, settings)
            return request.method == .head ? response.withoutBody : response
        }
    }

    /// Checks in Parse's order: body, application and key, session token, route.
    private func dispatch(
        _ request: HTTPRequest, _ isAbandoned: @escaping @Sendable () -> Bool
    ) throws(RouteError) -> HTTPResponse {
        let target = RequestTarget(request.url, mount: settings.baseURL)
        guard target.isInsideMount else {
            throw .answered(ParseResponses.noSuchRoute(request.method, target.fullPath))
        }
        // These two require no application id.
        if request.method == .options { return ParseResponses.options }
        if target.path == ["health"] { return ParseResponses.json(["status": "ok"]) }
        return try large(request.body?.count ?? 0, isAbandoned) { () throws(RouteError) in
            var parsed = try ParseRequest(request, target: target, application: settings.applicationID)
            parsed.isAbandoned = isAbandoned
            parsed.isLarge = request.body?.count ?? 0 > WorkLimits.largeSize
            let match = Self.match(parsed.method, target)
            if match?.route.token != .page { try admit(parsed.keys) }
            if match?.route.checksToken(parsed.target) != false { parsed.caller = try caller(of: parsed) }
            guard let match else { throw .answered(ParseResponses.noSuchRoute(request.method, target.fullPath)) }
            parsed.parameters = match.parameters
            return try match.route.handler(self)(parsed)
        }
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
    var users: Users { Users(connection: database.connection) }
    var sessions: Sessions { Sessions(connection: database.connection) }
    var identities: Identities { Identities(connection: database.connection) }
    var mailTokens: MailTokens { MailTokens(connection: database.connection) }
    var counters: Counters { Counters(connection: database.connection) }
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
            return try database.run(body)
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

    /// The stored form of a new password.
    func passwordHash(of password: String, for request: ParseRequest) throws(RouteError) -> String {
        let hash = try hashing(for: request) { PasswordHash.derive(password, cost: settings.passwordCost) }
        // Without enough memory for the hash, the password is neither right nor wrong.
        guard let hash else { throw .outOfMemory }
        return hash
    }

    /// Hashes or compares a password when few enough others do; 503.
    func hashing<Result>(for request: ParseRequest, _ work: () -> Result) throws(RouteError) -> Result {
        guard let limits = settings.limits else { return work() }
        let result = limits.hashing.run(while: { !request.isAbandoned() }, work)
        guard let result else { throw .answered(ParseResponses.busy) }
        return result
    }

    /// Does work with this number of bytes of JSON; large work when few enough others do.
    func large<Result>(
        _ size: Int, _ isAbandoned: () -> Bool, _ work: () throws(RouteError) -> Result
    ) throws(RouteError) -> Result {
        guard size > WorkLimits.largeSize, let limits = settings.limits else { return try work() }
        guard let result = try limits.large.run(while: { !isAbandoned() }, work) else {
            throw .answered(ParseResponses.busy)
        }
        return result
    }

    static func response(to error: RouteError, _ settings: ServerSettings) throws(TransportError) -> HTTPResponse {
        switch error {
        case .refused(let error): return ParseResponses.error(error)
        case .answered(let response): return response
        case .database(let error): throw StorageProblem.translate(error, settings.database?.path ?? "memory")
        case .file(let error): throw TransportError(error)
        case .outOfMemory where settings.isInProcess: throw .outOfMemory
        case .outOfMemory: return ParseResponses.error(.internal)
        }
    }
}
