import JSON
internal import SQLite

extension ParseRoutes {
    /// `POST /login` with `password` and `username` (which may be an address) or `email` -> 200, the user and
    /// `sessionToken`; 200, 201; 101 for a wrong password and for nobody of that name.
    func logIn(_ request: ParseRequest) throws(RouteError) -> Step {
        try check(LogInForm(request.body), request)
    }

    private func check(_ form: LogInForm, _ request: ParseRequest) throws(RouteError) -> Step {
        let found = try stored { () throws(SQLiteError) in try user(form) }
        guard let user = found, let stored = user.passwordHash else {
            // As much work as for somebody there is, so that the time taken tells nothing.
            return hashing(.hash(form.password, cost: settings.passwordCost)) { _ throws(RouteError) in
                throw .refused(.wrongCredentials)
            }
        }
        return hashing(.compare(form.password, stored: stored)) { outcome throws(RouteError) in
            guard outcome == .matches else { throw .refused(.wrongCredentials) }
            guard PasswordCost(storedIn: stored)?.isWeaker(than: settings.passwordCost) == true else {
                return try open(user, form, request, passwordHash: nil)
            }
            return hashing(.hash(form.password, cost: settings.passwordCost)) { outcome throws(RouteError) in
                guard case .hash(let hash) = outcome else { throw .refused(.internal) }
                return try open(user, form, request, passwordHash: hash)
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

    /// Starts a session, unless the password was changed while it was being checked: then once more from the start.
    ///
    /// - Parameter passwordHash: the hash to keep from now on; `nil` leaves it.
    private func open(
        _ user: User, _ form: LogInForm, _ request: ParseRequest, passwordHash: String?
    ) throws(RouteError) -> Step {
        let session = newSession(of: user.id, .logIn, request)
        let token = SessionToken(from: settings.randomness)
        let isStillValid = try stored { () throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                guard try users.user(id: user.id)?.passwordHash == user.passwordHash else { return false }
                if let passwordHash { try users.setPasswordHash(passwordHash, of: user.id) }
                try sessions.insert(session, token: token)
                return true
            }
        }
        guard isStillValid else { return try check(form, request) }
        var object = ParseObjects.user(user)
        object["sessionToken"] = .string(token.text)
        return .answer(ParseAnswer.json(object))
    }
}
