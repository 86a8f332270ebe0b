import JSON
internal import Transport

extension ParseRoutes {
    /// `POST /users` with `username`, `password`, `email`? and any other fields -> 201, `objectId`, `createdAt`,
    /// `sessionToken`?; error codes: 105, 107, 108, 111, 116, 119, 125, 200-203, 252; status 429 after too many
    /// signups.
    ///
    /// If the body contains `authData`, the response also contains `authDataResponse`, and `username` if it was
    /// generated; further error codes: 101, 141, 208. If the identity belongs to a user, the request is a login -> 200,
    /// the whole user.
    func signUp(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let form = try SignUpForm(request.body, from: acceptedProviders, isInProcess: settings.isInProcess)
        try verify(form.authData)
        if let owner = try owner(of: form.authData.identities) {
            return try logIn(owner, .provider(form.authData.identities[0].provider), request)
        }
        // Count the signup before computing the hash, which is expensive.
        try countSignUp(of: form.username)
        let hash = if let password = form.password { try passwordHash(of: password) } else { form.passwordHash }
        return try create(form, passwordHash: hash, request)
    }

    /// The user with these identities. Error code 208 if they belong to several users.
    private func owner(of identities: [Identity]) throws(RequestError) -> UserRow? {
        var ids: Set<String> = []
        for identity in identities {
            if let id = try self.identities.owner(of: identity) { ids.insert(id) }
        }
        guard ids.count <= 1 else { throw .refused(.providerTaken) }
        return try users.user(id: ids.first ?? "")
    }

    private func create(_ form: SignUpForm, passwordHash: String?, _ request: ParseRequest) throws(RequestError)
        -> HTTPResponse
    {
        let user = try newUser(form, passwordHash: passwordHash)
        let session = firstSession(of: user, form, request)
        let token = SessionToken(from: settings.randomness)
        try database.transaction { () throws(RequestError) in
            try checkUniqueness(ofUsername: user.username, email: user.email, of: "")
            if let id = form.id, try users.user(id: id) != nil { throw .refused(.idTaken) }
            try users.insert(user)
            for identity in form.authData.identities { try link(identity, to: user.id) }
            if let session { try sessions.insert(session, token: token) }
        }
        if settings.requiresVerifiedEmail, user.isEmailVerified != true { sendVerificationIfPossible(to: user) }
        let answer = created(user, form, session == nil ? nil : token)
        return ParseResponses.json(answer, status: 201, location: "\(settings.baseURL)/users/\(user.id)")
    }

    /// `nil` if the address must be verified first. As in Parse, a login with a provider needs no verified address.
    private func firstSession(of user: UserRow, _ form: SignUpForm, _ request: ParseRequest) -> SessionRow? {
        let provider = form.authData.identities.first?.provider
        guard provider != nil || !settings.requiresVerifiedEmail || user.isEmailVerified == true else { return nil }
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

    private func newUser(_ form: SignUpForm, passwordHash: String?) throws(RequestError) -> UserRow {
        let now = now
        let isUnverified = form.email != nil && settings.requiresVerifiedEmail
        return UserRow(
            id: form.id ?? ObjectID.make(from: settings.randomness),
            username: form.username ?? ObjectID.make(from: settings.randomness, length: 25), email: form.email,
            isEmailVerified: form.isEmailVerified ?? (isUnverified ? false : nil), passwordHash: passwordHash,
            createdAt: now, updatedAt: now,
            fields: try form.changes.applied(to: [:], className: "_User").fields)
    }

    /// Call this in a transaction. Error codes: 202; 203 if only the e-mail is taken.
    ///
    /// - Parameter id: the id of a user whose own username and e-mail are ignored; empty for a new user.
    func checkUniqueness(ofUsername username: String, email: String?, of id: String) throws(RequestError) {
        if try users.isTaken(username: username, byOtherThan: id) { throw .refused(.usernameTaken) }
        if let email, try users.isTaken(email: email, byOtherThan: id) { throw .refused(.emailTaken) }
    }

    /// Call this in a transaction. Error code: 208.
    func link(_ identity: Identity, to userID: String) throws(RequestError) {
        let owner = try identities.owner(of: identity)
        guard owner == nil || owner == userID else { throw .refused(.providerTaken) }
        try identities.set(identity, of: userID)
    }
}

/// The body of a signup, checked in Parse's order.
struct SignUpForm {
    /// `nil` if the server chooses the id.
    let id: String?
    /// Not empty; `nil` if the server must generate a username for a user with an identity.
    let username: String?
    /// Not empty; `nil` if the user cannot log in with a password.
    let password: String?
    /// The hash of a password that the server does not know.
    let passwordHash: String?
    let email: String?
    /// `nil` if the server decides.
    let isEmailVerified: Bool?
    let authData: AuthData
    let changes: FieldChanges

    /// - Parameters:
    ///   - isInProcess: whether the client may choose the id, `isEmailVerified` and `passwordHash`. Parse Server rejects an
    ///     id by default.
    ///   - isIdentified: whether the account has an identity that is not in the body.
    init(
        _ body: JSONObject, from providers: AcceptedProviders, isInProcess: Bool = false, isIdentified: Bool = false
    ) throws(RequestError) {
        var body = body
        passwordHash = isInProcess ? body[ParseObjects.hashMember]?.string : nil
        if isInProcess { body[ParseObjects.hashMember] = nil }
        if let passwordHash, !PasswordHash.isImportable(passwordHash) { throw .refused(.passwordHashInvalid) }
        id = isInProcess ? body["objectId"]?.string : nil
        for name in ["objectId", "id"] where id == nil {
            if let value = body[name], !value.isFalsy { throw .refused(105, "\(name) is an invalid field name.") }
        }
        let claims = body["authData"] ?? .null
        let hasClaims = !claims.isFalsy && claims.object?.isEmpty != true
        username = try Self.text(body["username"], isRequired: !hasClaims && !isIdentified, .badUsername)
        let needsPassword = !hasClaims && !isIdentified && passwordHash == nil
        password = try Self.text(body["password"], isRequired: needsPassword, .badPassword)
        authData = hasClaims ? try AuthData(claims, from: providers) : .nothing
        let hasPassword = (password ?? passwordHash) != nil
        let isKnownBySomething = username != nil && hasPassword || !authData.claims.isEmpty || isIdentified
        guard isKnownBySomething else { throw .refused(.providerUnsupported) }
        isEmailVerified = try SharedUserFields.flag(body["emailVerified"], isAllowed: isInProcess)
        email = try SharedUserFields.email(body["email"] ?? .null)
        changes = try SharedUserFields.others(body)
        // Parse Server on PostgreSQL also rejects a username with NUL, but with status 500.
        if username?.utf8.contains(0) == true { throw .refused(.badUsername) }
    }

    private static func text(
        _ value: JSONValue?, isRequired: Bool, _ refusal: ParseError
    ) throws(RequestError) -> String? {
        if !isRequired, value == nil || value == .null { return nil }
        guard let text = value?.string, !text.isEmpty else { throw .refused(refusal) }
        return text
    }
}

/// The fields that both signups and updates can set.
enum SharedUserFields {
    /// Fields that the server sets or interprets. As in Parse, the server ignores a client's `sessionToken`,
    /// `createdAt` and `updatedAt`, and in an update also `objectId` and `id`.
    private static let reserved: Set<String> = [
        "sessionToken", "createdAt", "updatedAt", "objectId", "id", "username", "password", "email", "emailVerified",
        "authData",
    ]

    /// All other fields. Parse infers the type of a field from its first value and later rejects other types. A wrong
    /// first value could never be corrected, so this server accepts any type, except for `ACL`.
    static func others(_ body: JSONObject) throws(RequestError) -> FieldChanges {
        if let list = body["ACL"], list != .null, list.object == nil {
            throw .refused(.typeMismatch("_User.ACL", expected: "ACL", got: list.parseType))
        }
        return try FieldChanges(body, except: reserved)
    }

    /// `emailVerified`, also as a string, as in CSV. Null and an empty string do not change it.
    static func flag(_ value: JSONValue?, isAllowed: Bool = true) throws(RequestError) -> Bool? {
        if value != nil, !isAllowed { throw .refused(.emailVerifiedByClient) }
        switch value {
        case nil, .null?, "": return nil
        case true, "true": return true
        case false, "false": return false
        default: throw .refused(111, "emailVerified is not true or false")
        }
    }

    /// An empty string and null mean no address. As in Parse, an address needs only an `@` with a character on both
    /// sides, and contains neither line breaks nor NUL.
    ///
    /// For a taken username with an invalid address, Parse sends error code 202. This server sends 125, because it
    /// checks usernames after hashing.
    static func email(_ value: JSONValue) throws(RequestError) -> String? {
        if value == .null { return nil }
        guard let email = value.string else {
            throw .refused(.typeMismatch("_User.email", expected: "String", got: value.parseType))
        }
        if email.isEmpty { return nil }
        let inner = email.unicodeScalars.dropFirst().dropLast()
        let hasBreak = email.unicodeScalars.contains { ["\0", "\n", "\r", "\u{2028}", "\u{2029}"].contains($0) }
        guard inner.contains("@"), !hasBreak else { throw .refused(.emailInvalid) }
        return email
    }
}
