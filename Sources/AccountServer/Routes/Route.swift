internal import Transport

/// A method, a path, and the handler of matching requests. `table` lists all routes except `/health`.
struct Route: Sendable {
    typealias Handler = @Sendable (ParseRoutes) -> (ParseRequest) throws(RequestError) -> HTTPResponse

    /// How the session token is checked before the handler runs.
    enum TokenUse {
        /// An invalid or expired token is rejected. A missing token is accepted.
        case checked
        /// The token is checked if there is a query, as in Parse Server for `/login`. Otherwise it is ignored, because
        /// a client that logs in again often sends an expired token.
        case checkedWithQuery
        /// The handler checks the token itself.
        case ignored
        /// The route is a page for users. It requires neither a token nor keys; its path contains the application id.
        case page
    }

    let method: HTTPRequest.Method
    /// The path segments. A segment such as `:id` matches any nonempty value, which is passed to the handler in
    /// `parameters`.
    let path: [String]
    let token: TokenUse
    let handler: Handler

    init(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler, token: TokenUse = .checked) {
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        self.token = token
        self.handler = handler
    }

    /// The values of the path's parameters; `nil` if the path does not match.
    func parameters(of path: [String]) -> [String: String]? {
        guard path.count == self.path.count else { return nil }
        var parameters: [String: String] = [:]
        for (name, segment) in zip(self.path, path) {
            if name.utf8.first == UInt8(ascii: ":") {
                guard !segment.isEmpty else { return nil }
                parameters[String(name.dropFirst())] = segment
            } else if segment != name {
                return nil
            }
        }
        return parameters
    }

    func checksToken(_ target: RequestTarget) -> Bool {
        switch token {
        case .checked: true
        case .checkedWithQuery: !target.query.isEmpty
        case .ignored, .page: false
        }
    }
}

extension Route {
    /// The first match wins, so `me` must precede `:id`.
    static let table: [Route] = [
        Route(.get, "/serverInfo", ParseRoutes.refuseWithoutMasterKey),
        Route(.get, "/schemas", ParseRoutes.listClasses),
        Route(.get, "/schemas/:name", ParseRoutes.refuseWithoutMasterKey),
        Route(.post, "/schemas/:name", ParseRoutes.refuseWithoutMasterKey),
        Route(.get, "/config", ParseRoutes.configuration),
        Route(.put, "/config", ParseRoutes.refuseWithoutMasterKey),
        Route(.post, "/jobs", ParseRoutes.refuseWithoutMasterKey),
        Route(.post, "/jobs/:name", ParseRoutes.refuseWithoutMasterKey),
        Route(.post, "/push", ParseRoutes.refuseWithoutMasterKey),
        Route(.post, "/loginAs", ParseRoutes.logInAs),

        Route(.post, "/users", ParseRoutes.signUp),
        Route(.get, "/users", ParseRoutes.listUsers),
        Route(.get, "/users/me", ParseRoutes.currentUser),
        Route(.get, "/users/:id", ParseRoutes.user),
        Route(.put, "/users/:id", ParseRoutes.updateUser),
        Route(.delete, "/users/:id", ParseRoutes.deleteUser),

        Route(.get, "/login", ParseRoutes.logIn, token: .checkedWithQuery),
        Route(.post, "/login", ParseRoutes.logIn, token: .checkedWithQuery),
        Route(.post, "/logout", ParseRoutes.logOut),
        Route(.post, "/upgradeToRevocableSession", ParseRoutes.upgradeSession),
        Route(.get, "/verifyPassword", ParseRoutes.verifyPassword),
        Route(.post, "/verifyPassword", ParseRoutes.verifyPassword),

        Route(.get, "/sessions", ParseRoutes.listSessions),
        Route(.post, "/sessions", ParseRoutes.createSession),
        // `ignored`, because this route has its own error messages.
        Route(.get, "/sessions/me", ParseRoutes.currentSession, token: .ignored),
        Route(.get, "/sessions/:id", ParseRoutes.session),
        Route(.put, "/sessions/:id", ParseRoutes.updateSession),
        Route(.delete, "/sessions/:id", ParseRoutes.deleteSession),

        Route(.post, "/installations", ParseRoutes.discardInstallation),
        Route(.get, "/installations/:id", ParseRoutes.discardInstallation),
        Route(.put, "/installations/:id", ParseRoutes.discardInstallation),

        Route(.post, "/batch", ParseRoutes.batch),
        Route(.post, "/functions/:name", ParseRoutes.refuseFunction),
        Route(.post, "/files/:name", ParseRoutes.refuseFile),
        Route(.delete, "/files/:name", ParseRoutes.refuseFile),
        Route(.get, "/files/:app/:name", ParseRoutes.refuseFile),
        Route(.get, "/files/:app/metadata/:name", ParseRoutes.refuseFile),
        Route(.post, "/events/:name", ParseRoutes.discardEvent),
        Route(.get, "/roles", ParseRoutes.listRoles),

        Route(.post, "/requestPasswordReset", ParseRoutes.requestPasswordReset),
        Route(.post, "/verificationEmailRequest", ParseRoutes.requestVerification),
        Route(.get, "/apps/:app/verify_email", ParseRoutes.verifyEmailPage, token: .page),
        Route(.get, "/apps/:app/request_password_reset", ParseRoutes.choosePasswordPage, token: .page),
        Route(.post, "/apps/:app/request_password_reset", ParseRoutes.resetPassword, token: .page),

        Route(.get, "/classes/:class", ParseRoutes.refuseClass),
        Route(.post, "/classes/:class", ParseRoutes.refuseClass),
        Route(.get, "/classes/:class/:id", ParseRoutes.refuseClass),
        Route(.put, "/classes/:class/:id", ParseRoutes.refuseClass),
        Route(.delete, "/classes/:class/:id", ParseRoutes.refuseClass),
    ]

    /// The routes for class names that SDKs use: `/classes/_User/<id>` is the same as `/users/<id>`.
    static let classPaths = [
        "_User": "users", "_Session": "sessions", "_Installation": "installations", "_Role": "roles",
    ]
}
