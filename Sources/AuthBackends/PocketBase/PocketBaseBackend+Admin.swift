import AuthModel
import JSON
import Platform

/// Requests with a superuser's token.
extension PocketBaseBackend: Administering {
    func check(adminKey: Secret) throws(BackendError) {
        try send(endpoints.checkKey(adminKey))
    }

    func users(after id: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        let request = endpoints.users(after: id, limit: limit, try adminKey.required())
        return UserPage(orderedByID: try records(request).map(PocketBasePayloads.listedUser))
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        let request = endpoints.record(id: id, try adminKey.required(), .readUser)
        return PocketBasePayloads.listedUser(try send(request))
    }

    func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        let key = try adminKey.required()
        var fields = PocketBasePayloads.identityFields(try methods())
        if !fields.contains("email") { fields.append("email") }
        // Before 0.40, a backslash escapes only a quote, and a text cannot end with one. Source: `scanText` of
        // ganigeorgiev/fexpr; PocketBase 0.23.12 to 0.40.6.
        guard !name.utf8.contains(UInt8(ascii: "\\")) else {
            throw BackendError(.invalidFields, "PocketBase cannot search for a name with a backslash")
        }
        let rows = try records(endpoints.users(named: name, in: fields, key))
        return rows.filter { row in fields.contains { row[$0]?.string == name } }.map(PocketBasePayloads.listedUser)
    }

    private func records(_ call: Call) throws(BackendError) -> [JSONObject] {
        (try send(call)["items"]?.array ?? []).compactMap(\.object)
    }

    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        let key = try adminKey.required()
        return .created(try administering(with: key) { () throws(BackendError) in try create(account, key) })
    }

    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        throw BackendError(.unsupported, "not yet")
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        try send(endpoints.delete(id: id, try adminKey.required(), .deleteUser))
    }

    func logIn(as user: User, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        let request = endpoints.logIn(asUser: user.id ?? "", try adminKey.required())
        return Reply(try session(in: try server.response(to: request)).new)
    }
}
