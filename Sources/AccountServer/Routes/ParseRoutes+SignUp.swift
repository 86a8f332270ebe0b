import JSON
internal import SQLite

extension ParseRoutes {
    /// `POST /users` with `username`, `password`, `email`? and any other fields -> 201, `objectId`, `createdAt`,
    /// `sessionToken`; 200, 201, 202, 203, 125, 105, 107, 108, 111, 119, 252.
    ///
    /// With `authData` also `authDataResponse`, and `username` where one was made up; a known provider's id is a login,
    /// 200 and the whole user. 101, 141, 208.
    func signUp(_ request: ParseRequest) throws(RouteError) -> Step {
        let form = try SignUpForm(request.body, takesFacebook: takesFacebook)
        return try proving(form.authData) { () throws(RouteError) in
            if let owner = try owner(of: form.authData.identities) {
                return try logIn(owner, .provider(provider(of: form)), request)
            }
            guard let password = form.password else { return try create(form, passwordHash: nil, request) }
            return hashing(password) { hash throws(RouteError) in
                try create(form, passwordHash: hash, request)
            }
        }
    }

    /// The user with these identities; 208 if they are of several.
    private func owner(of identities: [Identity]) throws(RouteError) -> User? {
        let ids = try stored { () throws(SQLiteError) in
            try Set(
                identities.map { identity throws(SQLiteError) in
                    try self.identities.owner(of: identity)
                })
        }.compactMap(\.self)
        guard let id = ids.first else { return nil }
        guard ids.count == 1 else { throw .refused(.providerTaken) }
        return try stored { () throws(SQLiteError) in try users.user(id: id) }
    }

    private func provider(of form: SignUpForm) -> String { form.authData.identities.first?.provider ?? "password" }

    private func create(_ form: SignUpForm, passwordHash: String?, _ request: ParseRequest) throws(RouteError) -> Step {
        let user = try newUser(form, passwordHash: passwordHash)
        let isKnownByProvider = !form.authData.identities.isEmpty
        let origin = isKnownByProvider ? SessionOrigin.provider(provider(of: form)) : .signUp
        // A provider's word is good enough, as to Parse.
        let hasSession = isKnownByProvider || settings.emailVerification != .required
        let session = hasSession ? newSession(of: user.id, origin, installationID: request.installationID) : nil
        let token = SessionToken(from: settings.randomness)
        try atomically { () throws(RouteError) in
            try insert(user, form.authData.identities)
            if let session { try stored { () throws(SQLiteError) in try sessions.insert(session, token: token) } }
        }
        if settings.emailVerification != .onRequest { sendVerificationIfPossible(to: user) }
        var object: JSONObject = ["objectId": .string(user.id), "createdAt": .string(user.createdAt.text)]
        if form.username == nil { object["username"] = .string(user.username) }
        if hasSession { object["sessionToken"] = .string(token.text) }
        if isKnownByProvider { object["authDataResponse"] = [:] }
        return .answer(ParseAnswer.json(object, status: 201, location: "\(settings.baseURL)/users/\(user.id)"))
    }

    private func newUser(_ form: SignUpForm, passwordHash: String?) throws(RouteError) -> User {
        let now = now
        let isUnverified = form.email != nil && settings.emailVerification != .onRequest
        return User(
            id: ObjectID.make(from: settings.randomness),
            username: form.username ?? ObjectID.make(from: settings.randomness, length: 25), email: form.email,
            isEmailVerified: isUnverified ? false : nil, passwordHash: passwordHash, createdAt: now, updatedAt: now,
            fields: try form.changes.applied(to: nil, className: "_User").fields)
    }

    /// Both taken: the name counts.
    private func insert(_ user: User, _ identities: [Identity]) throws(RouteError) {
        try checkUniqueness(of: user)
        try stored { () throws(SQLiteError) in try users.insert(user) }
        for identity in identities { try link(identity, to: user.id) }
    }

    /// Inside a transaction; 202, 203.
    func checkUniqueness(of user: User) throws(RouteError) {
        let isNameTaken = try stored { () throws(SQLiteError) in
            try users.isTaken(username: user.username, byOtherThan: user.id)
        }
        if isNameTaken { throw .refused(.usernameTaken) }
        guard let email = user.email else { return }
        let isEmailTaken = try stored { () throws(SQLiteError) in
            try users.isTaken(email: email, byOtherThan: user.id)
        }
        if isEmailTaken { throw .refused(.emailTaken) }
    }

    /// Inside a transaction; 208.
    func link(_ identity: Identity, to userID: String) throws(RouteError) {
        let owner = try stored { () throws(SQLiteError) in try identities.owner(of: identity) }
        guard owner == nil || owner == userID else { throw .refused(.providerTaken) }
        try stored { () throws(SQLiteError) in try identities.set(identity, of: userID) }
    }
}
