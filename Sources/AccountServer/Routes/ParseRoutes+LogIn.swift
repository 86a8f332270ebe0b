import JSON
internal import SQLite

extension ParseRoutes {
    /// `POST /login` with `password` and `username` (which may be an address) or `email` -> 200, the user and
    /// `sessionToken`; 200, 201; 101 for a wrong password and for nobody of that name.
    func logIn(_ request: ParseRequest) throws(RouteError) -> Step {
        try check(LogInForm(request.body), request)
    }

    /// `GET /users/me` -> 200, the user, `__type`, `className` and the caller's own token; 209.
    func currentUser(_ request: ParseRequest) throws(RouteError) -> Step {
        let caller = try request.requiredCaller()
        let found = try stored { () throws(SQLiteError) in try users.user(id: caller.session.userID) }
        guard let user = found else { throw .refused(.invalidSessionToken) }
        var object = ParseObjects.user(user)
        object["__type"] = "Object"
        object["className"] = "_User"
        object["sessionToken"] = .string(caller.token.text)
        return .answer(ParseAnswer.json(object))
    }

    /// `POST /logout` -> 200 `{}`, without a token too; 209.
    func logOut(_ request: ParseRequest) throws(RouteError) -> Step {
        if let session = request.caller?.session {
            _ = try stored { () throws(SQLiteError) in try sessions.delete(id: session.id, of: session.userID) }
        }
        return .answer(ParseAnswer.json([:]))
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

/// The body of a login, checked in Parse's order.
struct LogInForm {
    enum Name {
        /// A username, or an address in its place.
        case either(String)
        case email(String)
        /// Both must be the user's.
        case both(username: String, email: String)
    }

    let name: Name
    /// Not empty.
    let password: String

    /// Values that are no strings name nobody: 101, and never an operator of a query.
    init(_ body: JSONObject) throws(RouteError) {
        let (username, email) = (body["username"] ?? .null, body["email"] ?? .null)
        if username.isFalsy && email.isFalsy { throw .refused(.usernameRequired) }
        guard let password = body["password"], !password.isFalsy else { throw .refused(.passwordRequired) }
        guard let password = password.string else { throw .refused(.wrongCredentials) }
        self.password = password
        switch (username, email) {
        case (.string(let username), .string(let email)) where !username.isEmpty && !email.isEmpty:
            name = .both(username: username, email: email)
        case (.string(let username), _) where !username.isEmpty && email.isFalsy: name = .either(username)
        case (_, .string(let email)) where username.isFalsy: name = .email(email)
        default: throw .refused(.wrongCredentials)
        }
    }
}
