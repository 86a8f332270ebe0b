import AuthModel
import JSON

/// Requests with the master key. The embedded server needs none for requests from its own process.
extension ParseBackend: Administering {
    /// A server without client keys treats a wrong master key like none: it lists only public users, and hides others.
    func check(adminKey masterKey: Secret) throws(BackendError) {
        try send(endpoints.schemas(masterKey))
    }

    func users(after id: String?, limit: Int, adminKey masterKey: Secret?) throws(BackendError) -> UserPage {
        let request =
            masterKey.map { endpoints.users(after: id, limit: limit, $0) }
            ?? endpoints.usersLocally(after: id ?? "", limit: limit)
        return UserPage(orderedByID: try users(request))
    }

    /// Parse Server never shows hashes.
    func users(withHashesAfter id: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        guard isEmbedded else { throw BackendError(.unsupported, "Parse Server does not show password hashes") }
        let rows = try send(endpoints.usersLocally(after: id ?? "", limit: limit, withHashes: true))["results"]?.array
        return UserPage(
            orderedByID: (rows ?? []).compactMap(\.object).map { row in
                var user = listed(row)
                user.passwordHash = Secret(token: row[ParsePayloads.hashMember], masker)
                return user
            })
    }

    func user(id: String, adminKey masterKey: Secret?) throws(BackendError) -> User {
        try withRoles(listed(try send(endpoints.user(id: id, masterKey))), masterKey)
    }

    func users(named name: String, adminKey masterKey: Secret?) throws(BackendError) -> [User] {
        guard let masterKey else { return try users(endpoints.usersLocally(named: name)) }
        let users = try users(endpoints.users(named: name, masterKey))
        return users.count == 1 ? [try withRoles(users[0], masterKey)] : users
    }

    private func users(_ call: Call) throws(BackendError) -> [User] {
        (try send(call)["results"]?.array ?? []).compactMap(\.object).map(listed)
    }

    private func listed(_ payload: JSONObject) -> User { completed(ParsePayloads.listedUser(payload)) }

    /// The embedded server describes its classes without a key.
    func describedLists(adminKey masterKey: Secret?) throws(BackendError) -> [DescribedList]? {
        let classes = (try send(endpoints.schemas(masterKey))["results"]?.array ?? []).compactMap {
            $0["className"]?.string
        }
        return classes.map { name in
            let path = ParseEndpoints.path(ofClass: name)
            return DescribedList(path: path, item: [.text("\(path)/"), .member(["objectId"])])
        }
    }

    func createUser(_ account: NewAccount, adminKey masterKey: Secret?) throws(BackendError) -> SignUpOutcome {
        guard let masterKey else { return try signUp(account).value }
        var change = AccountChange()
        // A new address is not verified. On a server that verifies addresses, a signup cannot change this.
        change.emailVerified = account.state.emailVerified == true ? true : nil
        change.addedRoles = account.state.roles
        let roles = try roleIDs(of: change, masterKey)
        let outcome = try signUp(account, by: endpoints.signUp(account, masterKey))
        guard !change.isEmpty else { return outcome }
        do throws(BackendError) {
            switch outcome {
            case .session(var new):
                guard new.createdAccount == true else { return outcome }
                new.user = try update(change, roles, of: new.user, masterKey)
                return .session(new)
            case .waits(_, let user), .created(let user):
                // The server does not show the id of an account whose signup it also rejects.
                let known = user.id == nil ? try self.user(named: user.displayName ?? "", adminKey: masterKey) : user
                let updated = try update(change, roles, of: known, masterKey)
                guard case .waits(let pending, _) = outcome, updated.emailVerified != true else {
                    return .created(updated)
                }
                return .waits(pending, updated)
            }
        } catch {
            throw BackendError(
                .outcomeUnknown, "the account was created, but not completed: \(error.message)",
                nextSteps: error.nextSteps, server: error.server)
        }
    }

    func update(_ change: AccountChange, of user: User, adminKey masterKey: Secret?) throws(BackendError) -> User {
        try check(change.user)
        return try update(change, try roleIDs(of: change, masterKey), of: user, masterKey)
    }

    /// - Parameter roles: the ids of the roles of the change by name.
    private func update(
        _ change: AccountChange, _ roles: [String: String], of user: User, _ masterKey: Secret?
    ) throws(BackendError) -> User {
        guard let id = user.id else { throw .namesNoUser() }
        var fields = ParsePayloads.fields(of: change.user)
        fields["password"] = change.user.password.map { .string($0.reveal()) }
        // A server that verifies addresses sets the flag to false in each request with an address. Source: Parse Server,
        // `UserController.setEmailVerifyToken`.
        let isVerifiedLater = change.user.email != nil && change.emailVerified == true
        if !isVerifiedLater { fields["emailVerified"] = change.emailVerified.map(JSONValue.bool) }
        guard !fields.isEmpty else { return try finish(change, roles, of: id, masterKey) }
        try send(endpoints.changeUser(id: id, fields, masterKey))
        return try afterSuccess("changed") { () throws(BackendError) in
            if isVerifiedLater { try send(endpoints.changeUser(id: id, ["emailVerified": true], masterKey)) }
            return try finish(change, roles, of: id, masterKey)
        }
    }

    /// Changes what is no member of the user.
    private func finish(
        _ change: AccountChange, _ roles: [String: String], of id: String, _ masterKey: Secret?
    ) throws(BackendError) -> User {
        for (operation, names) in [("AddRelation", change.addedRoles), ("RemoveRelation", change.removedRoles)] {
            for name in names {
                do throws(BackendError) {
                    try send(endpoints.changeRole(id: roles[name] ?? "", operation, user: id, masterKey))
                } catch {
                    throw error.reason == .notFound ? .unknownRole(name) : error
                }
            }
        }
        if change.endsSessions { try endSessions(of: id, masterKey) }
        return try self.user(id: id, adminKey: masterKey)
    }

    private func endSessions(of id: String, _ masterKey: Secret?) throws(BackendError) {
        guard let masterKey else {
            try send(endpoints.endSessionsLocally(ofUser: id))
            return
        }
        var ended: Set<String> = []
        while true {
            let rows = try send(endpoints.sessions(ofUser: id, masterKey))["results"]?.array ?? []
            if rows.isEmpty { return }
            for row in rows {
                guard let id = row["objectId"]?.string, ended.insert(id).inserted else { throw .repeatsPage }
                try ignoringMissing { () throws(BackendError) in try send(endpoints.endSession(id: id, masterKey)) }
            }
        }
    }

    /// The user with its roles. Local accounts have none.
    private func withRoles(_ user: User, _ masterKey: Secret?) throws(BackendError) -> User {
        guard let masterKey, let id = user.id else { return user }
        var user = user
        user.roles = try roles(where: ["users": ParseEndpoints.pointer(to: id)], masterKey).map(\.name)
        return user
    }

    /// - Throws: `BackendError` `invalidFields` for an unknown role.
    private func roleIDs(of change: AccountChange, _ masterKey: Secret?) throws(BackendError) -> [String: String] {
        let names = change.addedRoles + change.removedRoles
        guard !names.isEmpty else { return [:] }
        let known = try roles(where: ["name": ["$in": .array(names.map(JSONValue.string))]], masterKey)
        let ids = Dictionary(known.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
        if let name = names.first(where: { ids[$0] == nil }) { throw .unknownRole(name) }
        return ids
    }

    private func roles(
        where conditions: JSONObject, _ masterKey: Secret?
    ) throws(BackendError) -> [(name: String, id: String)] {
        var rows: [JSONValue] = []
        var page: JSONObject
        repeat {
            page = try send(endpoints.roles(where: conditions, skipping: rows.count, masterKey))
            rows += page["results"]?.array ?? []
            // The server may limit pages (`maxLimit`).
        } while page["results"] != [] && rows.count < page["count"]?.integer ?? 0
        let roles = rows.compactMap { row in row["name"]?.string.map { (name: $0, id: row["objectId"]?.string ?? "") } }
        let (known, count) = (Set(roles.map(\.id)).count, page["count"]?.integer ?? 0)
        guard known >= count else { throw BackendError(.invalidResponse, "the server sent \(known) of \(count) roles") }
        return roles
    }

    /// Only the users of a role itself, and not those of its child roles.
    func roles(adminKey masterKey: Secret?) throws(BackendError) -> [String: [String]]? {
        guard let masterKey else { return nil }
        var names: [String: [String]] = [:]
        for role in try roles(where: [:], masterKey) {
            let fault = try UserPage.readAll { cursor, _ throws(BackendError) in
                try users(ofRole: role.id, after: cursor, masterKey)
            } _: { users throws(BackendError) in
                for id in users.compactMap(\.id) { names[id, default: []].append(role.name) }
                return true
            }
            if let fault { throw BackendError(.invalidResponse, "\(fault), for the role '\(role.name)'") }
        }
        return names
    }

    private func users(ofRole id: String, after cursor: String?, _ masterKey: Secret) throws(BackendError) -> UserPage {
        let page = try send(endpoints.users(ofRole: id, after: cursor, masterKey))
        let ids = (page["results"]?.array ?? []).compactMap { $0["objectId"]?.string }
        let count = page["count"]?.integer
        guard !ids.isEmpty || count ?? 0 == 0 else {
            throw BackendError(.invalidResponse, "the server left out \(count ?? 0) users of a role")
        }
        return UserPage(ids.map { User(id: $0) }, next: ids.count < count ?? .max ? ids.last : nil)
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        try send(endpoints.deleteUser(id: id, adminKey))
    }

    func logIn(as user: User, adminKey masterKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        let name = user.username ?? ""
        guard let masterKey else { return Reply(try logIn(endpoints.logInLocally(as: name), as: name)) }
        do throws(BackendError) {
            return Reply(try logIn(endpoints.logIn(asUser: user.id, masterKey), as: name))
        } catch {
            guard error.reason == .wrongEndpoint else { throw error }
            throw BackendError(
                .unsupported, "this server has no login without the password; Parse Server has it since version 5")
        }
    }
}

extension BackendError {
    fileprivate static func unknownRole(_ name: String) -> BackendError {
        BackendError(.invalidFields, "there is no role '\(name)'")
    }
}
