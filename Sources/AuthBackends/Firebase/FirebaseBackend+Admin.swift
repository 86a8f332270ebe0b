import AuthModel
import JSON

/// Requests with an access token of Google. The emulator accepts the word `owner`.
extension FirebaseBackend: Administering {
    func check(adminKey: Secret) throws(BackendError) {
        _ = try users(after: nil, limit: 1, adminKey: adminKey)
    }

    func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        let (key, project) = try administrator(adminKey)
        let payload = try send(endpoints.users(after: cursor, limit: limit, key, project))
        let users = (payload["users"]?.array ?? []).compactMap(\.object).map(FirebasePayloads.listedUser)
        return UserPage(users, next: payload["nextPageToken"]?.filledText)
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        guard let user = try users("localId", id, adminKey).first(where: { $0.id == id }) else {
            throw BackendError(.notFound, "no user has that id")
        }
        return user
    }

    func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        try users("email", name, adminKey).filter { $0.email?.lowercased() == name.lowercased() }
    }

    private func users(_ name: String, _ value: String, _ adminKey: Secret?) throws(BackendError) -> [User] {
        let (key, project) = try administrator(adminKey)
        let payload = try send(endpoints.user(name, value, key, project))
        return (payload["users"]?.array ?? []).compactMap(\.object).map(FirebasePayloads.listedUser)
    }

    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        throw BackendError(.unsupported, "not yet")
    }

    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        throw BackendError(.unsupported, "not yet")
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        let (key, project) = try administrator(adminKey)
        try send(endpoints.delete(id: id, key, project))
    }

    /// Only the emulator accepts an unsigned token. It creates an account for an unknown id.
    func logIn(as user: User, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        guard endpoints.emulator != nil else {
            throw BackendError(
                .unsupported, "Firebase requires a token signed with the private key of a service account")
        }
        guard let id = user.id else { throw .namesNoUser() }
        return Reply(try logIn(endpoints.logIn(uid: id)))
    }

    private func administrator(_ key: Secret?) throws(BackendError) -> (key: Secret, project: String) {
        guard let project = endpoints.project() else {
            throw BackendError(.usage, "the name of the Firebase project is required", next: "add --app-id PROJECT")
        }
        guard let key = key ?? endpoints.emulator.map({ _ in Secret("owner") }) else {
            throw BackendError(.internal, "no access token")
        }
        return (key, project)
    }
}
