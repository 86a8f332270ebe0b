import JSON
internal import SQLite
internal import Transport

extension ParseRoutes {
    /// `POST /users` with `username`, `password`, `email`? and any other fields -> 201, `objectId`, `createdAt`,
    /// `sessionToken`; 200, 201, 202, 203, 125, 105, 107, 108, 111, 119, 252; 429 after too many signups.
    ///
    /// With `authData` also `authDataResponse`, and `username` if it was generated. If the identity belongs to a user,
    /// the request is a login: 200 and the whole user. 101, 141, 208.
    func signUp(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        let form = try SignUpForm(request.body, from: acceptedProviders)
        try verify(form.authData)
        if let owner = try owner(of: form.authData.identities) {
            return try logIn(owner, .provider(form.authData.identities[0].provider), request)
        }
        // Before the hash, which is expensive.
        try countSignUp(of: form.username)
        let hash = try form.password.map { password throws(RouteError) in
            try passwordHash(of: password, for: request)
        }
        return try create(form, passwordHash: hash, request)
    }

    /// The user with these identities; 208 if they belong to several users.
    private func owner(of identities: [Identity]) throws(RouteError) -> UserRow? {
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

    private func create(_ form: SignUpForm, passwordHash: String?, _ request: ParseRequest) throws(RouteError)
        -> HTTPResponse
    {
        let user = try newUser(form, passwordHash: passwordHash)
        let session = firstSession(of: user, form, request)
        let token = SessionToken(from: settings.randomness)
        try atomically { () throws(RouteError) in
            try checkUniqueness(ofUsername: user.username, email: user.email, of: user.id)
            try stored { () throws(SQLiteError) in try users.insert(user) }
            for identity in form.authData.identities { try link(identity, to: user.id) }
            if let session { try stored { () throws(SQLiteError) in try sessions.insert(session, token: token) } }
        }
        if settings.emailVerification != .onRequest { sendVerificationIfPossible(to: user) }
        let answer = created(user, form, session == nil ? nil : token)
        return ParseResponses.json(answer, status: 201, location: "\(settings.baseURL)/users/\(user.id)")
    }

    /// `nil` if the address must be verified first. Like Parse, a provider's login needs no verified address.
    private func firstSession(of user: UserRow, _ form: SignUpForm, _ request: ParseRequest) -> SessionRow? {
        let provider = form.authData.identities.first?.provider
        guard provider != nil || settings.emailVerification != .required else { return nil }
        return newSession(
            of: user.id, provider.map(SessionOrigin.provider) ?? .signUp, installationID: request.installationID)
    }

    private func created(_ user: UserRow, _ form: SignUpForm, _ token: SessionToken?) -> JSONObject {
        var object: JSONObject = [
            "objectId": .string(user.id), "createdAt": .string(user.createdAt.textWithMilliseconds),
        ]
        if form.username == nil { object["username"] = .string(user.username) }
        if let token { object["sessionToken"] = .string(token.text) }
        if !form.authData.identities.isEmpty { object["authDataResponse"] = [:] }
        return object
    }

    private func newUser(_ form: SignUpForm, passwordHash: String?) throws(RouteError) -> UserRow {
        let now = now
        let isUnverified = form.email != nil && settings.emailVerification != .onRequest
        return UserRow(
            id: ObjectID.make(from: settings.randomness),
            username: form.username ?? ObjectID.make(from: settings.randomness, length: 25), email: form.email,
            isEmailVerified: isUnverified ? false : nil, passwordHash: passwordHash, createdAt: now, updatedAt: now,
            fields: try form.changes.applied(to: nil, className: "_User").fields)
    }

    /// Call it in a transaction; 202, 203. If both are taken, the error names the username.
    ///
    /// - Parameter id: the user that may have them.
    func checkUniqueness(ofUsername username: String, email: String?, of id: String) throws(RouteError) {
        let isNameTaken = try stored { () throws(SQLiteError) in
            try users.isTaken(username: username, byOtherThan: id)
        }
        if isNameTaken { throw .refused(.usernameTaken) }
        let isEmailTaken = try stored { () throws(SQLiteError) in
            try email.map { email throws(SQLiteError) in try users.isTaken(email: email, byOtherThan: id) }
        }
        if isEmailTaken == true { throw .refused(.emailTaken) }
    }

    /// Call it in a transaction; 208.
    func link(_ identity: Identity, to userID: String) throws(RouteError) {
        let owner = try stored { () throws(SQLiteError) in try identities.owner(of: identity) }
        guard owner == nil || owner == userID else { throw .refused(.providerTaken) }
        try stored { () throws(SQLiteError) in try identities.set(identity, of: userID) }
    }
}
