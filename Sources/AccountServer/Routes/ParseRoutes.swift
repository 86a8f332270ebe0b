import Platform
package import Transport

/// Answers requests for the local accounts as Parse Server would.
///
/// Several threads may use an instance at once. Each request is handled completely on the thread that calls `answer`.
package final class ParseRoutes: Sendable {
    let settings: ServerSettings
    let database: GuardedDatabase

    package init(_ settings: ServerSettings, database: GuardedDatabase) {
        self.settings = settings
        self.database = database
    }

    /// The base URL of the routes.
    package var url: String { settings.baseURL }

    /// The same routes with a different destination for e-mails; if it is `nil`, no e-mail is sent.
    package func mailing(to outlet: (any MailOutlet)?) -> ParseRoutes {
        var settings = settings
        settings.mail = outlet
        return ParseRoutes(settings, database: database)
    }

    /// Answers a request.
    ///
    /// - Parameter isAbandoned: whether the client is gone. Long queries then end.
    /// - Throws: `TransportError` of kind `storage` or `outOfMemory`. All other errors become responses.
    package func answer(
        to request: HTTPRequest, isAbandoned: @escaping () -> Bool = { false }
    ) throws(TransportError) -> HTTPResponse {
        let response: HTTPResponse
        do throws(RequestError) {
            response = ConditionalRequest.answer(to: request, try dispatch(request, isAbandoned))
        } catch {
            guard let refusal = error.response else { throw error.transportError(settings.database) }
            response = refusal
        }
        return request.method == .head && response.status != 304 ? response.withoutBody : response
    }

    /// Checks a request in Parse's order: body, application and key, session token, route.
    private func dispatch(_ request: HTTPRequest, _ isAbandoned: @escaping () -> Bool) throws(RequestError)
        -> HTTPResponse
    {
        let target = RequestTarget(request.url, mount: settings.baseURL)
        guard target.isInsideMount else {
            throw .answered(ParseResponses.noSuchRoute(request.method, target.fullPath))
        }
        // `OPTIONS` and `/health` require no application id.
        if request.method == .options { return ParseResponses.options }
        if target.path == ["health"] { return ParseResponses.json(["status": "ok"]) }
        return try large(request.body?.count ?? 0, isAbandoned) { () throws(RequestError) in
            var parsed = try ParseRequest(request, target: target, application: settings.applicationID)
            parsed.isLarge = request.body?.count ?? 0 > WorkLimits.largeSize
            parsed.isAbandoned = isAbandoned
            let match = Self.match(parsed.method, target)
            if match?.route.token != .page { try admit(parsed.keys) }
            if match?.route.checksToken(parsed.target) != false { parsed.caller = try caller(of: parsed) }
            guard let match else { throw .answered(ParseResponses.noSuchRoute(request.method, target.fullPath)) }
            parsed.parameters = match.parameters
            return try match.route.handler(self)(parsed)
        }
    }

    private func admit(_ keys: RequestKeys) throws(RequestError) {
        let hasKey = settings.clientKey.map { keys.clientKeys.contains(where: $0.matches) } ?? true
        guard keys.applicationID == settings.applicationID, hasKey else {
            throw .answered(.refusal(403, "unauthorized"))
        }
    }

    static func match(
        _ method: HTTPRequest.Method, _ target: RequestTarget
    ) -> (route: Route, parameters: [String: String])? {
        var paths = [target.path]
        if target.path.count > 1, target.path[0] == "classes", let name = Route.classPaths[target.path[1]] {
            paths.insert([name] + target.path[2...], at: 0)
        }
        for path in paths {
            for route in Route.table where route.method == method {
                if let parameters = route.parameters(of: path) { return (route, parameters) }
            }
        }
        return nil
    }
}

// MARK: - For the handlers

extension ParseRoutes {
    var users: Users { Users(database: database) }
    var sessions: Sessions { Sessions(database: database) }
    var identities: Identities { Identities(database: database) }
    var mailTokens: MailTokens { MailTokens(database: database) }
    var now: Instant { settings.clock.now() }

    /// The caller with the session token of the request; `nil` if the request has no token.
    func caller(
        of request: ParseRequest, unknown: ParseError = .invalidSessionToken
    ) throws(RequestError) -> Caller? {
        guard let token = request.sentToken else { return nil }
        guard let caller = try sessions.caller(token) else { throw .refused(unknown) }
        // A session expires at the start of the millisecond `expiresAt`.
        guard caller.expiresAt > now else { throw .refused(209, "Session token is expired.") }
        return caller
    }

    /// The stored form of a new password.
    func passwordHash(of password: String) throws(RequestError) -> String {
        let hash = try hashing { PasswordHash.derive(password, cost: settings.passwordCost) }
        guard let hash else { throw .outOfMemory }
        return hash
    }

    /// Runs `work`, which hashes or compares a password, within the limit for parallel hashing. Error: status 503.
    func hashing<Result>(_ work: () -> Result) throws(RequestError) -> Result {
        settings.willHash()
        return try limited(settings.limits?.hashing, work)
    }

    /// Runs `work` on JSON of this size in bytes, and limits parallel work on large JSON. Error: status 503, also if the
    /// client is gone when the work can start.
    func large<Result>(
        _ size: Int, _ isAbandoned: () -> Bool, _ work: () throws(RequestError) -> Result
    ) throws(RequestError) -> Result {
        guard size > WorkLimits.largeSize else { return try work() }
        return try limited(settings.limits?.large) { () throws(RequestError) in
            if isAbandoned() { throw .busy }
            return try work()
        }
    }

    private func limited<Result>(
        _ limit: WorkLimit?, _ work: () throws(RequestError) -> Result
    ) throws(RequestError) -> Result {
        guard let limit else { return try work() }
        guard let result = try limit.run(work) else { throw .busy }
        return result
    }
}
