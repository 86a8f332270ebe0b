package import JSON
internal import Platform
package import Transport

/// An account that is created when the server starts.
package struct SeedAccount: Sendable {
    /// `nil` for a random id.
    let id: String?
    /// The fields of a signup: `username`, `password`, both optional with `authData`, `email`?, `emailVerified`?, `authData`? and any others.
    /// `authData` needs no proof: `{"google":{"id":"1003"}}`.
    let body: JSONObject

    /// - Parameter passwordHash: a hash of argon2id in place of `password`.
    package init(id: String?, body: JSONObject, passwordHash: String? = nil) {
        self.id = id
        var body = body
        body[ParseObjects.hashMember] = passwordHash.map(JSONValue.string)
        self.body = body
    }
}

/// Why the accounts were not created.
package enum SeedingError: Error {
    /// The account at this index is invalid. The string is the server's error message.
    case refused(Int, String)
    /// The username, address, id or identity of the account at this index belongs to another account.
    case taken(Int, field: String)
    case storage(TransportError)
}

extension ParseRoutes {
    /// Creates all accounts in one transaction, and sends no e-mail.
    ///
    /// Each password takes tens of milliseconds to hash, unless the cost is low.
    package func create(_ accounts: [SeedAccount]) throws(SeedingError) {
        // The index of the account to which an error refers.
        var index = 0
        do throws(RequestError) {
            var users: [(row: UserRow, identities: [Identity])] = []
            for account in accounts {
                users.append(try user(account))
                index += 1
            }
            try database.transaction { () throws(RequestError) in
                index = 0
                for (user, identities) in users {
                    try checkUniqueness(ofUsername: user.username, email: user.email, of: "")
                    guard try self.users.user(id: user.id) == nil else { throw .refused(.idTaken) }
                    try self.users.insert(user)
                    for identity in identities { try link(identity, to: user.id) }
                    index += 1
                }
            }
        } catch {
            throw seedingError(error, index)
        }
    }

    private func user(_ account: SeedAccount) throws(RequestError) -> (row: UserRow, identities: [Identity]) {
        let own = ["emailVerified", "authData"]
        let identities = try AuthData.identities(ofSeed: account.body["authData"])
        let form = try SignUpForm(
            JSONObject(account.body.members.filter { !own.contains($0.name) }), from: .anonymous,
            isInProcess: true, isIdentified: !identities.isEmpty)
        var hash = form.passwordHash
        if let password = form.password {
            hash = PasswordHash.derive(password, cost: settings.passwordCost)
            if hash == nil { throw .outOfMemory }
        }
        let now = now
        let row = UserRow(
            id: account.id ?? ObjectID.make(from: settings.randomness),
            username: form.username ?? ObjectID.make(from: settings.randomness, length: 25),
            email: form.email, isEmailVerified: account.body["emailVerified"]?.bool, passwordHash: hash,
            createdAt: now, updatedAt: now, fields: try form.changes.applied(to: [:], className: "_User").fields)
        return (row, identities)
    }

    private func seedingError(_ error: RequestError, _ index: Int) -> SeedingError {
        switch error {
        case .refused(.usernameTaken): .taken(index, field: "username")
        case .refused(.emailTaken): .taken(index, field: "email")
        case .refused(.idTaken): .taken(index, field: "id")
        case .refused(.providerTaken): .taken(index, field: "identity")
        case .refused(let error): .refused(index, error.text ?? "")
        case .answered, .busy, .database, .file, .outOfMemory: .storage(error.transportError(settings.database))
        }
    }
}

extension ParseError {
    /// Clients over HTTP cannot choose ids. Only seed accounts and `users create` can cause this error.
    static let idTaken = ParseError(code: 137, text: "the id is already taken")
    static let passwordHashInvalid = ParseError(
        code: 111, text: "the password hash is not one of argon2id with at most 128 MiB and 10 passes")
    static let seededIdentitiesInvalid = ParseError(
        code: 111, text: "authData is not an object such as {\"google\":{\"id\":\"1003\"}}")
}
