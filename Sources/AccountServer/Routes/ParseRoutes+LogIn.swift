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
        try check(form) { [self] user throws(RouteError) in
            if form.hasCode { throw .refused(.providerUnsupported) }
            guard user.passwordHash.flatMap(PasswordCost.init(storedIn:))?.isWeaker(than: settings.passwordCost) == true
            else {
                return try open(user, form, request, passwordHash: nil)
            }
            return hashing(form.password) { [self] hash throws(RouteError) in
                try open(user, form, request, passwordHash: hash)
            }
        }
    }

    /// `GET` and `POST /verifyPassword`: like a login, but without a session -> 200, the user.
    func verifyPassword(_ request: ParseRequest) throws(RouteError) -> Step {
        try check(LogInForm(request.credentials)) { [self] user throws(RouteError) in
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
        let found = try stored { () throws(SQLiteError) in try candidates(form) }
        guard found.isEmpty else { return try check(form, found[...], then: then) }
        let error = try wrongName(form)
        let account = try stored { () throws(SQLiteError) in try users.account(like: form.name.text) }
        return try checking(decoyHash(form), of: account) { result throws(RouteError) in
            if case .locked(let rest) = result { throw .refused(.accountLocked(rest)) }
            throw .refused(error)
        }
    }

    /// Checks the password of the first user, then of the others.
    ///
    /// - Parameter lock: the rest of the lock of an earlier user; the client learns of it if no user matches.
    private func check(
        _ form: LogInForm, _ candidates: ArraySlice<UserRow>, lock: Duration? = nil,
        then: @escaping (UserRow) throws(RouteError) -> Step
    ) throws(RouteError) -> Step {
        let user = candidates[candidates.startIndex]
        let job = user.passwordHash.map { .compare(form.password, stored: $0) } ?? decoyHash(form)
        return try checking(job, of: users.account(user)) { [self] result throws(RouteError) in
            var lock = lock
            if case .locked(let rest) = result { lock = max(lock ?? .zero, rest) }
            guard case .right = result else {
                if candidates.count > 1 { return try check(form, candidates.dropFirst(), lock: lock, then: then) }
                throw .refused(lock.map { .accountLocked($0) } ?? .wrongCredentials)
            }
            if settings.emailVerification == .required, user.isEmailVerified != true {
                throw .refused(.emailNotVerified)
            }
            return try then(user)
        }
    }

    /// A hash that is discarded: the response time must not reveal whether there is a password to compare.
    private func decoyHash(_ form: LogInForm) -> PasswordJob { .hash(form.password, cost: settings.passwordCost) }

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
        return .answer(ParseResponses.json(object, location: "\(settings.baseURL)/users/\(user.id)"))
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
