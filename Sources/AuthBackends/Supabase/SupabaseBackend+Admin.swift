import AuthModel
import JSON

/// Requests with the secret key.
extension SupabaseBackend: Administering {
    private static let pageSize = 100

    func check(adminKey: Secret) throws(BackendError) {
        try send(endpoints.users(page: 1, size: 1, adminKey))
    }

    /// The newest account is first, so new ones shift the pages: the caller drops repeated accounts.
    func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        let page = cursor.flatMap { Int($0) } ?? 1
        let request = endpoints.users(page: page, size: Self.pageSize, try adminKey.required())
        let rows = (try send(request)["users"]?.array ?? []).compactMap(\.object)
        return UserPage(rows.map(SupabasePayloads.listedUser), next: String(page + 1))
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        SupabasePayloads.listedUser(try send(endpoints.user(id: id, try adminKey.required())))
    }

    /// Older versions ignore the filter, so all pages are read.
    func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        let key = try adminKey.required()
        var (page, beginnings) = (0, Set<String>())
        while true {
            page += 1
            let request = endpoints.users(page: page, size: Self.pageSize, filter: name, key)
            let rows = (try send(request)["users"]?.array ?? []).compactMap(\.object)
            guard let first = rows.first else { return [] }
            // A server that ignores `page` would send the same rows forever.
            guard beginnings.insert(first["id"]?.string ?? "").inserted else { throw .repeatsPage }
            let row = rows.first { $0["email"]?.string?.lowercased() == name.lowercased() }
            if let row { return [SupabasePayloads.listedUser(row)] }
        }
    }

    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        try account.password.requireAtMost72Bytes()
        let request = endpoints.createUser(
            try Self.address(of: account), account.password, data: account.fields, try adminKey.required())
        return .created(SupabasePayloads.user(try send(request)))
    }

    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        throw BackendError(.unsupported, "not yet")
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        try send(endpoints.deleteUser(id: id, try adminKey.required()))
    }

    /// The request for the link would create an account for an unknown address.
    func logIn(as user: User, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        guard let email = user.email else { throw BackendError(.unsupported, "the account has no e-mail") }
        let link = try send(endpoints.link(to: email, try adminKey.required()))
        for name in ["hashed_token", "email_otp", "action_link"] { masker.register(link[name]?.string ?? "") }
        let fields: JSONObject = [
            "type": link["verification_type"] ?? "magiclink", "token_hash": link["hashed_token"] ?? .null,
        ]
        var new = try logIn(endpoints.verify(fields, .impersonate)).new
        guard new.user.id == user.id else { throw .sessionOfOtherUser }
        new.warnings.append("the server counts this login as one of the user, and confirms the e-mail")
        return Reply(new)
    }
}
