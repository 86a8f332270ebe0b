import JSON
internal import Transport

extension ParseRoutes {
    /// `PUT /users/<id>` for the caller -> 200, `updatedAt` and the results of operations. A new password revokes all
    /// sessions, and the response contains a new `sessionToken`. If the body changes `authData`, the response also
    /// contains `authDataResponse`.
    ///
    /// A request from this process with a master key changes any user, also `emailVerified`. It gets no session.
    ///
    /// Error codes: 105, 107, 108, 111, 116, 119, 125, 141, 200-203, 208, 209, 252; 206 if the caller is not this user,
    /// or if the proof of an identity is invalid; 101 for an unknown id in a request with a master key.
    func updateUser(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let id = request.pathID
        let isAdmin = isAdministrator(request)
        let caller = isAdmin ? nil : request.caller
        guard isAdmin || caller?.userID == id else { throw .refused(.insufficientAuth) }
        do throws(RequestError) {
            let body = try withoutKnownIdentities(request.body, of: id)
            let form = try UserUpdateForm(body, from: acceptedProviders, isAdmin: isAdmin)
            try verify(form.authData ?? .nothing)
            let hash = try form.password.map { password throws(RequestError) in
                try passwordHash(of: password)
            }
            return try commit(form, passwordHash: hash, of: id, caller)
        } catch {
            throw isAdmin ? error : Self.updateError(error)
        }
    }

    /// The body without the members of `authData` that only repeat identities from this server's responses.
    ///
    /// SDKs send all of `authData` back when they link another provider or save a user. Source: Parse Server,
    /// `Auth.hasMutatedAuthData`.
    private func withoutKnownIdentities(_ body: JSONObject, of userID: String) throws(RequestError) -> JSONObject {
        guard let claims = body["authData"]?.object else { return body }
        let known = try identities.identities(of: userID)
        let changed = claims.members.filter { claim in
            !known.contains { $0.provider == claim.name && claim.value == ["id": .string($0.id)] }
        }
        var body = body
        body["authData"] = changed.isEmpty && !claims.isEmpty ? nil : .object(JSONObject(changed))
        return body
    }

    /// Changes error code 101 to 206, because Parse does so in every user update.
    private static func updateError(_ error: RequestError) -> RequestError {
        if case .refused(let refusal) = error, refusal.code == 101 { return .refused(.insufficientAuth) }
        return error
    }

    /// - Parameter caller: `nil` for the administrator.
    private func commit(
        _ form: UserUpdateForm, passwordHash: String?, of id: String, _ caller: Caller?
    ) throws(RequestError) -> HTTPResponse {
        let token = caller == nil ? nil : passwordHash.map { _ in SessionToken(from: settings.randomness) }
        let (old, new, results) = try database.transaction { () throws(RequestError) in
            let user = if let caller { try user(revalidating: caller) } else { try users.user(id: id) }
            guard let old = user else { throw .refused(.objectNotFound) }
            let (new, results) = try changed(old, form, passwordHash: passwordHash)
            try write(new, form.authData ?? .nothing)
            if new.email != old.email || passwordHash != nil { try mailTokens.delete(.resetPassword, of: new.id) }
            // Links sent to the old address must no longer work.
            if new.email != old.email { try mailTokens.delete(.verifyEmail, of: new.id) }
            if passwordHash != nil { try sessions.deleteAll(of: new.id) }
            if let token {
                let session = newSession(of: new.id, .logIn, installationID: caller?.installationID)
                try sessions.insert(session, token: token)
            }
            return (old, new, results)
        }
        let isAddressNew = new.email != nil && new.email != old.email
        if isAddressNew, settings.requiresVerifiedEmail, new.isEmailVerified != true {
            sendVerificationIfPossible(to: new)
        }
        var answer: JSONObject = ["updatedAt": .string(new.updatedAt.textWithMilliseconds)]
        answer.members += results.members
        if let token { answer["sessionToken"] = .string(token.text) }
        if form.authData?.isEmpty == false { answer["authDataResponse"] = [:] }
        return ParseResponses.json(answer)
    }

    private func write(_ user: UserRow, _ authData: AuthData) throws(RequestError) {
        try checkUniqueness(ofUsername: user.username, email: user.email, of: user.id)
        try users.update(user)
        for provider in authData.unlinked { try identities.delete(provider, of: user.id) }
        for identity in authData.identities { try link(identity, to: user.id) }
    }

    /// Call this in a transaction: a session can be revoked while the server hashes a password or waits for Facebook.
    func user(revalidating caller: Caller) throws(RequestError) -> UserRow {
        guard let current = try sessions.caller(caller.token) else { throw .refused(.invalidSessionToken) }
        return current.user
    }

    private func changed(
        _ user: UserRow, _ form: UserUpdateForm, passwordHash: String?
    ) throws(RequestError) -> (user: UserRow, results: JSONObject) {
        var user = user
        user.updatedAt = now
        if let username = form.username { user.username = username }
        if let passwordHash { user.passwordHash = passwordHash }
        if let change = form.email { changeEmail(of: &user, change) }
        if let isVerified = form.isEmailVerified { user.isEmailVerified = isVerified }
        let (fields, results) = try form.changes.applied(to: user.fields, className: "_User")
        user.fields = fields
        return (user, results)
    }

    /// Changes the address. The verification of an old address does not apply to the new address.
    private func changeEmail(of user: inout UserRow, _ change: UserUpdateForm.EmailChange) {
        let old = user.email
        switch change {
        case .set(let email): user.email = email
        case .remove: user.email = nil
        }
        guard user.email != old else { return }
        let isAsked = user.isEmailVerified != nil || settings.requiresVerifiedEmail
        user.isEmailVerified = isAsked && user.email != nil ? false : nil
    }
}

/// The body of `PUT /users/<id>`, checked in Parse's order. A property is `nil` if its value does not change.
///
/// Unlike Parse, this server rejects an empty username or password, because the user could not log in with it.
struct UserUpdateForm {
    enum EmailChange {
        case set(String)
        case remove
    }

    let username: String?
    let password: String?
    let email: EmailChange?
    let isEmailVerified: Bool?
    let authData: AuthData?
    let changes: FieldChanges

    init(_ body: JSONObject, from providers: AcceptedProviders, isAdmin: Bool) throws(RequestError) {
        authData = try body["authData"].map { value throws(RequestError) in
            try AuthData(value, from: providers)
        }
        isEmailVerified = try SharedUserFields.flag(body["emailVerified"], isAllowed: isAdmin)
        username = try Self.text("username", body, .badUsername)
        password = try Self.text("password", body, .badPassword)
        email = try Self.email(body["email"])
        changes = try SharedUserFields.others(body)
        if username?.utf8.contains(0) == true { throw .refused(.badUsername) }
    }

    private static func text(_ name: String, _ body: JSONObject, _ refusal: ParseError) throws(RequestError) -> String?
    {
        guard let value = body[name] else { return nil }
        if value == "" || value == .null || value["__op"] != nil { throw .refused(refusal) }
        guard let text = value.string else {
            throw .refused(.typeMismatch("_User.\(name)", expected: "String", got: value.parseType))
        }
        return text
    }

    private static func email(_ value: JSONValue?) throws(RequestError) -> EmailChange? {
        guard let value else { return nil }
        if value["__op"] == "Delete" { return .remove }
        return try SharedUserFields.email(value).map { .set($0) } ?? .remove
    }
}
