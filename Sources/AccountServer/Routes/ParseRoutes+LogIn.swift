import JSON
internal import SQLite
internal import Transport

extension ParseRoutes {
    /// `GET` and `POST /login` with `password` and `username` (which may be an address) or `email` -> 200, the user
    /// with `sessionToken`.
    ///
    /// Errors: 200, 201, 205; 101 for a wrong password or an unknown username; 252 for a code of a second factor, which
    /// local accounts do not have.
    func logIn(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        let form = try LogInForm(request.credentials)
        while true {
            let user = try checkedUser(form, request)
            if form.hasCode { throw .refused(.providerUnsupported) }
            let cost = user.passwordHash.flatMap(PasswordCost.init(storedIn:))
            let isWeak = cost?.isWeaker(than: settings.passwordCost) == true
            let stronger = isWeak ? try passwordHash(of: form.password, for: request) : nil
            // Once more if the password was changed meanwhile.
            if let response = try open(user, request, passwordHash: stronger) { return response }
        }
    }

    /// `GET` and `POST /verifyPassword`: like a login, but without a session -> 200, the user.
    func verifyPassword(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        ParseResponses.json(try shown(try checkedUser(try LogInForm(request.credentials), request)))
    }

    /// `POST /loginAs`: always rejected, because there is no master key.
    func logInAs(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .refused(.masterKeyRequired)
    }

    /// Compares the password with those of the users that the form may mean, the most likely user first.
    private func checkedUser(_ form: LogInForm, _ request: ParseRequest) throws(RouteError) -> UserRow {
        let found = try stored { () throws(SQLiteError) in try candidates(form) }
        guard !found.isEmpty else {
            let error = try wrongName(form)
            let account = try stored { () throws(SQLiteError) in try users.account(like: form.name.text) }
            if case .locked(let rest) = try check(form.password, nil, of: account, request) {
                throw .refused(.accountLocked(rest))
            }
            throw .refused(error)
        }
        // The client learns of a lock if no user matches.
        var lock: Duration?
        for user in found {
            switch try check(form.password, user.passwordHash, of: users.account(user), request) {
            case .right:
                if settings.emailVerification == .required, user.isEmailVerified != true {
                    throw .refused(.emailNotVerified)
                }
                return user
            case .wrong: break
            case .locked(let rest): lock = max(lock ?? .zero, rest)
            }
        }
        throw .refused(lock.map { .accountLocked($0) } ?? .wrongCredentials)
    }

    private func wrongName(_ form: LogInForm) throws(RouteError) -> ParseError {
        var error = ParseError.wrongCredentials
        if settings.isInProcess {
            error.similarName = try stored { () throws(SQLiteError) in try users.similarName(to: form.name.text) }
        }
        return error
    }

    /// The users that the form may mean, the most likely one first.
    private func candidates(_ form: LogInForm) throws(SQLiteError) -> [UserRow] {
        switch form.name {
        case .email(let email): return try [users.user(email: email)].compactMap(\.self)
        case .both(let username, let email):
            let user = try users.user(username: username)
            return [user].compactMap(\.self).filter { $0.email.map { Array($0.utf8) } == Array(email.utf8) }
        case .either(let text):
            // An address may also be the username of another user. The username takes precedence, as in Parse, but the
            // owner of the address must be able to log in, too.
            let (named, addressed) = (try users.user(username: text), try users.user(email: text))
            return [named, named?.id == addressed?.id ? nil : addressed].compactMap(\.self)
        }
    }

    /// Creates a session; `nil` if the password was changed during the check.
    ///
    /// - Parameter passwordHash: a stronger hash to store; `nil` keeps the stored one.
    private func open(
        _ user: UserRow, _ request: ParseRequest, passwordHash: String?
    ) throws(RouteError) -> HTTPResponse? {
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
        guard isStillValid else { return nil }
        object["sessionToken"] = .string(token.text)
        return ParseResponses.json(object)
    }

    /// Creates a session for a user whose identity a provider has confirmed.
    func logIn(_ user: UserRow, _ origin: SessionOrigin, _ request: ParseRequest) throws(RouteError) -> HTTPResponse {
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
        return ParseResponses.json(object, location: "\(settings.baseURL)/users/\(user.id)")
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
