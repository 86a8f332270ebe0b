import AuthModel
import JSON
import Platform
import Transport

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
        let fields = PocketBasePayloads.nameFields(try description(key))
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

    /// The fields of the collection that an account can have; `username` is among them if the collection has it.
    func fieldNames(adminKey: Secret?) throws(BackendError) -> [String]? {
        PocketBasePayloads.ownFields(try description(try adminKey.required()))
    }

    /// Describes the collection.
    func description(_ key: Secret) throws(BackendError) -> JSONObject {
        if let known = collection.value { return known }
        let description = try send(endpoints.description(key))
        collection.value = description
        return description
    }

    func describedLists(adminKey: Secret?) throws(BackendError) -> [DescribedList]? {
        let key = try adminKey.required()
        let mount = URLParts(endpoints.base)?.path ?? ""
        var (names, page) = ([String](), 0)
        while page * PocketBaseEndpoints.collectionsPerPage == names.count {
            page += 1
            let rows = try records(endpoints.collections(page: page, key))
            guard !rows.contains(where: { $0["name"]?.string.map(names.contains) == true }) else { throw .repeatsPage }
            names += rows.compactMap { $0["name"]?.string }
        }
        return names.map { name in
            let path = "\(mount)/api/collections/\(name.percentEncoded)/records"
            return DescribedList(path: path, item: [.text("\(path)/"), .member(["id"])])
        }
    }

    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        let key = try adminKey.required()
        return .created(try administering(with: key) { () throws(BackendError) in try create(account, key) })
    }

    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        try check(change.user)
        try change.user.password?.requireAtMost72Bytes()
        guard let id = user.id else { throw .namesNoUser() }
        let key = try adminKey.required()
        let tokenKey = change.endsSessions ? Secret(Randomness.system.hex(byteCount: 25)) : nil
        masker.register(tokenKey)
        return PocketBasePayloads.listedUser(try send(endpoints.update(id: id, change, tokenKey: tokenKey, key)))
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        try send(endpoints.delete(id: id, try adminKey.required(), .deleteUser))
    }

    func logIn(as user: User, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        let request = endpoints.logIn(asUser: user.id ?? "", try adminKey.required())
        return Reply(try session(in: try server.response(to: request)).new)
    }
}
