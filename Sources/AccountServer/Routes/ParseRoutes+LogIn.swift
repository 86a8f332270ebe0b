import JSON
internal import Transport

extension ParseRoutes {
    /// `GET` and `POST /login` with `password`, and with `username`, `email` or both -> 200, the user with
    /// `sessionToken`. The `username` may be an address.
    ///
    /// Error codes: 200, 201, 205; 101 for wrong credentials or a locked account; 252 for a second-factor code, which
    /// local accounts do not support.
    func logIn(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let form = try LogInForm(request.credentials)
        while true {
            let user = try checkedUser(form)
            if form.hasCode { throw .refused(.providerUnsupported) }
            let cost = user.passwordHash.flatMap(PasswordCost.init(storedIn:))
            let isWeak = cost?.isWeaker(than: settings.passwordCost) == true
            let stronger = isWeak ? try passwordHash(of: form.password) : nil
            // Try again if the user was deleted or the stored hash was replaced meanwhile.
            if let object = try open(.logIn, of: user, request, passwordHash: stronger) {
                return ParseResponses.json(object)
            }
        }
    }

    /// `GET` and `POST /verifyPassword` -> 200, the user. Takes the parameters of a login, but creates no session.
    func verifyPassword(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        ParseResponses.json(try shown(try checkedUser(try LogInForm(request.credentials))))
    }

    /// `POST /loginAs` with `username` -> 200, the user with `sessionToken`; error code 101 for an unknown username.
    /// Only for requests from this process. Over HTTP, it fails with error code 119, because there is no master key;
    /// with 108 if the request has one.
    func logInAs(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        guard settings.isInProcess, let username = request.body["username"]?.string else {
            if request.keys.hasMasterKey { throw .noMasterKey }
            throw .refused(119, "master key is required")
        }
        guard let user = try users.user(username: username) else { throw .refused(101, "user not found") }
        return try logIn(user, .provider("masterkey"), request)
    }

    /// Compares the password with the passwords of the users that the form may refer to, most likely user first.
    private func checkedUser(_ form: LogInForm) throws(RequestError) -> UserRow {
        let found = try candidates(form)
        guard !found.isEmpty else {
            var error = ParseError.wrongCredentials
            if settings.isInProcess { error.similarName = try users.similarName(to: form.name.text) }
            let account = try users.account(like: form.name.text)
            if case .locked(let rest) = try check(form.password, nil, of: account) {
                error = .accountLocked(rest)
            }
            throw .refused(error)
        }
        // Report a lock only if no user matches.
        var lock: Duration?
        for user in found {
            switch try check(form.password, user.passwordHash, of: users.account(user)) {
            case .right:
                if settings.requiresVerifiedEmail, user.isEmailVerified != true {
                    throw .refused(205, "User email is not verified.")
                }
                return user
            case .wrong: break
            case .locked(let rest): lock = max(lock ?? .zero, rest)
            }
        }
        var wrong = ParseError.wrongCredentials
        wrong.isPasswordAlone = settings.isInProcess
        throw .refused(lock.map { .accountLocked($0) } ?? wrong)
    }

    /// The users that the form may refer to, most likely user first.
    private func candidates(_ form: LogInForm) throws(RequestError) -> [UserRow] {
        switch form.name {
        case .email(let email): return try [users.user(email: email)].compactMap(\.self)
        case .both(let username, let email):
            let user = try users.user(username: username)
            return [user].compactMap(\.self).filter { $0.email.map { Array($0.utf8) } == Array(email.utf8) }
        case .either(let text):
            // An address may also be the username of another user. The username takes precedence, as in Parse, but the
            // owner of the address must also be able to log in.
            let (named, addressed) = (try users.user(username: text), try users.user(email: text))
            return [named, named?.id == addressed?.id ? nil : addressed].compactMap(\.self)
        }
    }

    /// Creates a session, and returns the user with the session token; `nil` if the user was deleted or the stored hash
    /// was replaced since `user` was read.
    ///
    /// - Parameter passwordHash: a stronger hash to store; `nil` keeps the stored one.
    private func open(
        _ origin: SessionOrigin, of user: UserRow, _ request: ParseRequest, passwordHash: String? = nil
    ) throws(RequestError) -> JSONObject? {
        let session = newSession(of: user.id, origin, installationID: request.installationID)
        let token = SessionToken(from: settings.randomness)
        // Read the user before creating the session. If reading failed later, the client would not get the token.
        var object = try shown(user)
        let isStillValid = try database.transaction { () throws(RequestError) in
            guard let current = try users.user(id: user.id), current.passwordHash == user.passwordHash else {
                return false
            }
            if let passwordHash { try users.setPasswordHash(passwordHash, of: user.id) }
            try sessions.insert(session, token: token)
            return true
        }
        guard isStillValid else { return nil }
        object["sessionToken"] = .string(token.text)
        return object
    }

    /// Creates a session for a user who was authenticated without a password.
    func logIn(_ user: UserRow, _ origin: SessionOrigin, _ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        guard var object = try open(origin, of: user, request) else { throw .refused(.objectNotFound) }
        object["authDataResponse"] = [:]
        return ParseResponses.json(object, location: "\(settings.baseURL)/users/\(user.id)")
    }

    /// A new session for the user. The session starts now and is not stored yet.
    func newSession(of userID: String, _ origin: SessionOrigin, installationID: String?) -> SessionRow {
        let now = now
        return SessionRow(
            id: ObjectID.make(from: settings.randomness), userID: userID, createdAt: now, updatedAt: now,
            expiresAt: now.adding(settings.sessionLifetime), origin: origin, installationID: installationID)
    }

    /// The user in the format of responses.
    func shown(_ user: UserRow) throws(RequestError) -> JSONObject {
        ParseObjects.user(user, try identities.identities(of: user.id))
    }
}

/// The fields of a login, checked in Parse's order.
struct LogInForm {
    enum Name {
        /// A username, or an address in the username field.
        case either(String)
        case email(String)
        /// The username and the e-mail must match the same user.
        case both(username: String, email: String)

        var text: String {
            switch self {
            case .either(let text), .email(let text), .both(let text, _): text
            }
        }
    }

    let name: Name
    /// Never empty.
    let password: String
    /// Whether the form contains a second-factor code.
    let hasCode: Bool

    /// A value that is not a string matches no user (error code 101). Values are never used as query operators.
    init(_ body: JSONObject) throws(RequestError) {
        let (username, email) = (body["username"] ?? .null, body["email"] ?? .null)
        if username.isFalsy && email.isFalsy { throw .refused(200, "username/email is required.") }
        guard let password = body["password"], !password.isFalsy else { throw .refused(201, "password is required.") }
        guard let password = password.string else { throw .refused(.wrongCredentials) }
        self.password = password
        hasCode = !(body["authData"]?["mfa"] ?? .null).isFalsy
        switch (username, email) {
        case (.string(let username), .string(let email)) where !username.isEmpty && !email.isEmpty:
            name = .both(username: username, email: email)
        case (.string(let username), _) where !username.isEmpty && email.isFalsy: name = .either(username)
        case (_, .string(let email)) where username.isFalsy: name = .email(email)
        default: throw .refused(.wrongCredentials)
        }
    }
}
