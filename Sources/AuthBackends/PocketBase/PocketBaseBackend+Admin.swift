import AuthModel
import JSON
import Platform

/// Requests with a superuser's token.
extension PocketBaseBackend: AdminKeyChecking {
    func check(adminKey: Secret) throws(BackendError) {
        try send(endpoints.checkKey(adminKey))
    }
}

extension PocketBaseBackend: Impersonating {
    func logIn(as username: String, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        let key = try adminKey.required()
        let fields = PocketBasePayloads.identityFields(try methods())
        // Before 0.40, a backslash escapes only a quote, and a text cannot end with one. Source: `scanText` of
        // ganigeorgiev/fexpr; PocketBase 0.23.12 to 0.40.6.
        guard !username.utf8.contains(UInt8(ascii: "\\")) else {
            throw BackendError(.invalidFields, "PocketBase cannot search for a name with a backslash")
        }
        let request = endpoints.users(named: username, in: fields, key)
        let rows = (try send(request)["items"]?.array ?? []).filter { row in
            fields.contains { row[$0]?.string == username }
        }
        guard let id = rows.first?["id"]?.string else { throw BackendError(.notFound, "no user has that name") }
        guard rows.count == 1 else {
            let ids = rows.compactMap { $0["id"]?.string }.quotedList(atMost: 2)
            throw BackendError(
                .invalidFields, "accounts \(ids) have that name, in one of the fields \(fields.quotedList(atMost: 5))")
        }
        return Reply(try session(in: try server.response(to: endpoints.logIn(asUser: id, key))).new)
    }
}

extension PocketBaseBackend: UserListing, AdminCreating, AdminDeleting {
    func users(after id: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        let request = endpoints.users(after: id, limit: limit, try adminKey.required())
        let rows = (try send(request)["items"]?.array ?? []).compactMap(\.object)
        return UserPage(orderedByID: rows.map(PocketBasePayloads.listedUser))
    }

    func createUser(_ account: NewAccount, adminKey: Secret) throws(BackendError) -> SignUpOutcome {
        .created(try administering(with: adminKey) { () throws(BackendError) in try create(account, adminKey) })
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        let request = endpoints.record(id: id, try adminKey.required(), .readUser)
        return PocketBasePayloads.user(try send(request))
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        let request = endpoints.delete(id: id, try adminKey.required(), .deleteUser)
        try send(request)
    }
}
