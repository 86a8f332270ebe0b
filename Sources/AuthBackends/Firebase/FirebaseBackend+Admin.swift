import AuthModel
import JSON

/// Requests with an access token of Google. The emulator accepts the word `owner`.
extension FirebaseBackend: AdminKeyChecking, UserListing, AdminDeleting {
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
        try user("localId", id, adminKey)
    }

    private func user(_ name: String, _ value: String, _ adminKey: Secret?) throws(BackendError) -> User {
        let (key, project) = try administrator(adminKey)
        let payload = try send(endpoints.user(name, value, key, project))
        guard let user = FirebasePayloads.lookedUp(payload),
            user[name]?.string?.lowercased() == value.lowercased()
        else {
            throw BackendError(.notFound, "no user has that \(name == "email" ? "e-mail" : "id")")
        }
        return FirebasePayloads.listedUser(user)
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        let (key, project) = try administrator(adminKey)
        try send(endpoints.delete(id: id, key, project))
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

extension FirebaseBackend: Impersonating {
    /// Only the emulator accepts an unsigned token. It creates an account for an unknown id, so the user is requested
    /// first.
    func logIn(as username: String, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        guard endpoints.emulator != nil else {
            throw BackendError(
                .unsupported, "Firebase requires a token signed with the private key of a service account")
        }
        guard let id = try user("email", username, adminKey).id else { throw .namesNoUser() }
        return Reply(try logIn(endpoints.logIn(uid: id)))
    }
}
