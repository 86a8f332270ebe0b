import JSON
internal import SQLite

extension ParseRoutes {
    /// `GET` and `POST /login` with `password` and `username` (which may be an address) or `email` -> 200, the user
    /// with `sessionToken`.
    ///
    /// Errors: 200, 201, 205; 101 for a wrong password or an unknown username; 252 for a code of a second factor, which
    /// local accounts do not have.
    func logIn(_ request: ParseRequest) throws(RouteError) -> Step {
        try logIn(LogInForm(request.credentials), request)
    }

    private func logIn(_ form: LogInForm, _ request: ParseRequest) throws(RouteError) -> Step {
        try check(form) { user throws(RouteError) in
            if form.hasCode { throw .refused(.providerUnsupported) }
            guard user.passwordHash.flatMap(PasswordCost.init(storedIn:))?.isWeaker(than: settings.passwordCost) == true
            else {
                return try open(user, form, request, passwordHash: nil)
            }
            return hashing(form.password) { hash throws(RouteError) in
                try open(user, form, request, passwordHash: hash)
            }
        }
    }

    /// `GET` and `POST /verifyPassword`: like a login, but without a session -> 200, the user.
    func verifyPassword(_ request: ParseRequest) throws(RouteError) -> Step {
        try check(LogInForm(request.credentials)) { user throws(RouteError) in
            .answer(ParseResponses.json(try shown(user)))
        }
    }

    /// `POST /loginAs`: always rejected, because there is no master key.
    func logInAs(_ request: ParseRequest) throws(RouteError) -> Step {
        throw .refused(.masterKeyRequired)
    }

    /// Finds the user and checks the password.
    private func check(
        _ form: LogInForm, then: @escaping (UserRow) throws(RouteError) -> Step
    ) throws(RouteError) -> Step {
        let found = try stored { () throws(SQLiteError) in try user(form) }
        guard let user = found, let stored = user.passwordHash else {
            // Hash anyway, so that the response time does not reveal whether the user exists.
            let error = found == nil ? try wrongName(form) : .wrongCredentials
            return hashing(form.password) { _ throws(RouteError) in throw .refused(error) }
        }
        return hashing(.compare(form.password, stored: stored)) { outcome throws(RouteError) in
            guard outcome == .matches else { throw .refused(.wrongCredentials) }
            if settings.emailVerification == .required, user.isEmailVerified != true {
                throw .refused(.emailNotVerified)
            }
            return try then(user)
        }
    }

    private func wrongName(_ form: LogInForm) throws(RouteError) -> ParseError {
        var error = ParseError.wrongCredentials
        if settings.isInProcess {
            error.similarName = try stored { () throws(SQLiteError) in try users.similarName(to: form.name.text) }
        }
        return error
    }

    private func user(_ form: LogInForm) throws(SQLiteError) -> UserRow? {
        switch form.name {
        case .email(let email): return try users.user(email: email)
        case .both(let username, let email):
            guard let user = try users.user(username: username) else { return nil }
            return user.email.map { Array($0.utf8) } == Array(email.utf8) ? user : nil
        case .either(let text):
            // An address may also be the username of another user. The username takes precedence, as in Parse.
            if let user = try users.user(username: text) { return user }
            return try users.user(email: text)
        }
    }

    /// Creates a session. If the password was changed during the check, the login starts again.
    ///
    /// - Parameter passwordHash: a stronger hash to store; `nil` keeps the stored one.
    private func open(
        _ user: UserRow, _ form: LogInForm, _ request: ParseRequest, passwordHash: String?
    ) throws(RouteError) -> Step {
        let session = newSession(of: user.id, .logIn, installationID: request.installationID)
        let token = SessionToken(from: settings.randomness)
        // Read first: nothing may fail after the session is created, because the client would never learn of it.
        var object = try shown(user)
        let isStillValid = try stored { () throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                guard try users.user(id: user.id)?.passwordHash == user.passwordHash else { return false }
                if let passwordHash { try users.setPasswordHash(passwordHash, of: user.id) }
                try sessions.insert(session, token: token)
                return true
            }
        }
        guard isStillValid else { return try logIn(form, request) }
        object["sessionToken"] = .string(token.text)
        return .answer(ParseResponses.json(object))
    }

    /// Creates a session for a user whose identity a provider has confirmed.
    func logIn(_ user: UserRow, _ origin: SessionOrigin, _ request: ParseRequest) throws(RouteError) -> Step {
        let session = newSession(of: user.id, origin, installationID: request.installationID)
        let token = SessionToken(from: settings.randomness)
        var object = try shown(user)
        try atomically { () throws(RouteError) in
            let found = try stored { () throws(SQLiteError) in try users.user(id: user.id) }
            guard found != nil else { throw .refused(.objectNotFound) }
            try stored { () throws(SQLiteError) in try sessions.insert(session, token: token) }
        }
        object["sessionToken"] = .string(token.text)
        object["authDataResponse"] = [:]
        return .answer(ParseResponses.json(object))
    }

    /// A new session of the user that starts now, not stored yet.
    func newSession(of userID: String, _ origin: SessionOrigin, installationID: String?) -> SessionRow {
        let now = now
        return SessionRow(
            id: ObjectID.make(from: settings.randomness), userID: userID, createdAt: now, updatedAt: now,
            expiresAt: now.adding(settings.sessionLifetime), origin: origin, installationID: installationID)
    }

    /// The user in the format of responses.
    func shown(_ user: UserRow) throws(RouteError) -> JSONObject {
        let known = try stored { () throws(SQLiteError) in try identities.identities(of: user.id) }
        return ParseObjects.user(user, known)
    }
}
