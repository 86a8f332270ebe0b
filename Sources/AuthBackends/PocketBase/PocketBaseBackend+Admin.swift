import AuthModel
import JSON

/// Requests with a superuser's token.
extension PocketBaseBackend: AdminKeyChecking {
    func check(adminKey: Secret) throws(BackendError) {
        _ = try send(endpoints.checkKey(adminKey), .listUsers)
    }
}

extension PocketBaseBackend: Impersonating {
    func logIn(as username: String, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        let key = try Self.required(adminKey)
        let fields = PocketBasePayloads.identityFields(try methods())
        let rows = try send(endpoints.users(named: username, in: fields, key), .listUsers)["items"]?.array ?? []
        guard let id = rows.first?["id"]?.string else { throw BackendError(.notFound, "no user has that name") }
        return Reply(try logIn(endpoints.logIn(asUser: id, key), .impersonate).session)
    }

    private static func required(_ key: Secret?) throws(BackendError) -> Secret {
        guard let key else { throw BackendError(.internal, "no superuser token") }
        return key
    }
}

extension PocketBaseBackend: UserListing, AdminCreating, AdminDeleting {
    func users(after id: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        let request = endpoints.users(after: id, limit: limit, try Self.required(adminKey))
        let rows = (try send(request, .listUsers)["items"]?.array ?? []).compactMap(\.object)
        return UserPage(orderedByID: rows.map(PocketBasePayloads.listedUser))
    }

    func createUser(_ account: NewAccount, adminKey: Secret) throws(BackendError) -> SignUpOutcome {
        .created(try administering(with: adminKey) { () throws(BackendError) in try create(account, adminKey) })
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        let request = endpoints.record(id: id, try Self.required(adminKey))
        return PocketBasePayloads.user(try send(request, .listUsers, .record))
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        let request = endpoints.delete(id: id, try Self.required(adminKey))
        _ = try send(request, .listUsers, .nothing)
    }
}
