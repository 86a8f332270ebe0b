import JSON
internal import SQLite

extension ParseRoutes {
    /// `GET` and `POST /login` with `password` and `username` (which may be an address) or `email` -> 200, the user and
    /// `sessionToken`; 200, 201, 205; 101 for a wrong password and for nobody of that name.
    func logIn(_ request: ParseRequest) throws(RouteError) -> Step {
        try check(LogInForm(request.credentials)) { user, newHash throws(RouteError) in
            try logIn(user, .logIn, request, passwordHash: newHash)
        }
    }

    /// `GET` and `POST /verifyPassword`, the same without a session: 200, the user.
    func verifyPassword(_ request: ParseRequest) throws(RouteError) -> Step {
        try check(LogInForm(request.credentials)) { user, _ throws(RouteError) in
            .answer(ParseAnswer.json(try shown(user)))
        }
    }

    /// `POST /loginAs`: never, since there is no master key.
    func logInAs(_ request: ParseRequest) throws(RouteError) -> Step {
        throw .refused(.masterKeyRequired)
    }

    /// Finds the user and checks the password, once more from the start if that was changed meanwhile.
    ///
    /// - Parameter then: is given the user and, where the stored hash is too weak by now, a new one; answers `nil` if
    ///   the user's password is another one than was checked.
    private func check(
        _ form: LogInForm, then: @escaping (_ user: User, _ newHash: String?) throws(RouteError) -> Step?
    ) throws(RouteError) -> Step {
        let found = try stored { () throws(SQLiteError) in try user(form) }
        guard let user = found, let stored = user.passwordHash else {
            // As much work as for somebody there is, so that the time taken tells nothing.
            return hashing(form.password) { _ throws(RouteError) in throw .refused(.wrongCredentials) }
        }
        return hashing(.compare(form.password, stored: stored)) { outcome throws(RouteError) in
            guard outcome == .matches else { throw .refused(.wrongCredentials) }
            if settings.emailVerification == .required, user.isEmailVerified != true {
                throw .refused(.emailNotVerified)
            }
            guard PasswordCost(storedIn: stored)?.isWeaker(than: settings.passwordCost) == true else {
                if let step = try then(user, nil) { return step }
                return try check(form, then: then)
            }
            return hashing(form.password) { hash throws(RouteError) in
                if let step = try then(user, hash) { return step }
                return try check(form, then: then)
            }
        }
    }

    private func user(_ form: LogInForm) throws(SQLiteError) -> User? {
        switch form.name {
        case .email(let email): return try users.user(email: email)
        case .both(let username, let email):
            guard let user = try users.user(username: username) else { return nil }
            return user.email.map { Array($0.utf8) } == Array(email.utf8) ? user : nil
        case .either(let text):
            // An address may be the name of another user; the name counts, as Parse decides it.
            if let user = try users.user(username: text) { return user }
            return try users.user(email: text)
        }
    }

    /// Starts a session of a user who proved to be one by a password.
    ///
    /// - Parameter passwordHash: the hash to keep from now on; `nil` leaves it.
    /// - Returns: `nil` if the password was changed since the user was read.
    private func logIn(
        _ user: User, _ origin: SessionOrigin, _ request: ParseRequest, passwordHash: String?
    ) throws(RouteError) -> Step? {
        let session = newSession(of: user.id, origin, installationID: request.installationID)
        let token = SessionToken(from: settings.randomness)
        let isStillValid = try stored { () throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                guard try users.user(id: user.id)?.passwordHash == user.passwordHash else { return false }
                if let passwordHash { try users.setPasswordHash(passwordHash, of: user.id) }
                try sessions.insert(session, token: token)
                return true
            }
        }
        guard isStillValid else { return nil }
        var object = try shown(user)
        object["sessionToken"] = .string(token.text)
        return .answer(ParseAnswer.json(object))
    }

    /// Starts a session of a user whom a provider vouches for.
    func logIn(_ user: User, _ origin: SessionOrigin, _ request: ParseRequest) throws(RouteError) -> Step {
        let session = newSession(of: user.id, origin, installationID: request.installationID)
        let token = SessionToken(from: settings.randomness)
        try atomically { () throws(RouteError) in
            let found = try stored { () throws(SQLiteError) in try users.user(id: user.id) }
            guard found != nil else { throw .refused(.objectNotFound) }
            try stored { () throws(SQLiteError) in try sessions.insert(session, token: token) }
        }
        var object = try shown(user)
        object["sessionToken"] = .string(token.text)
        object["authDataResponse"] = [:]
        return .answer(ParseAnswer.json(object))
    }

    /// A user's session that starts now.
    func newSession(of userID: String, _ origin: SessionOrigin, installationID: String?) -> Session {
        let now = now
        return Session(
            id: ObjectID.make(from: settings.randomness), userID: userID, createdAt: now, updatedAt: now,
            expiresAt: now.adding(settings.sessionLifetime), origin: origin, installationID: installationID)
    }

    /// The user as answers have it.
    func shown(_ user: User) throws(RouteError) -> JSONObject {
        let known = try stored { () throws(SQLiteError) in try identities.identities(of: user.id) }
        return ParseObjects.user(user, known)
    }
}
