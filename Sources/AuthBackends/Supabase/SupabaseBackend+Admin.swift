import AuthModel
import JSON

/// Requests with the secret key.
extension SupabaseBackend: AdminKeyChecking {
    func check(adminKey: Secret) throws(BackendError) {
        try send(endpoints.users(page: 1, size: 1, adminKey))
    }
}

extension SupabaseBackend: Impersonating {
    /// Looks the user up first, because the request for the link would create an account.
    ///
    /// - Parameter username: an e-mail address or an id.
    func logIn(as username: String, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        let key = try adminKey.required()
        guard let user = try find(username, key) else { throw BackendError(.notFound, "no user has that e-mail") }
        guard let email = user.email else { throw BackendError(.unsupported, "the account has no e-mail") }
        let link = try send(endpoints.link(to: email, key))
        for name in ["hashed_token", "email_otp", "action_link"] { masker.register(link[name]?.string ?? "") }
        let fields: JSONObject = [
            "type": link["verification_type"] ?? "magiclink", "token_hash": link["hashed_token"] ?? .null,
        ]
        var new = try logIn(endpoints.verify(fields, .impersonate)).new
        guard new.user.id == user.id else { throw .sessionOfOtherUser }
        new.warnings.append("the server counts this login as one of the user, and confirms the e-mail")
        return Reply(new)
    }

    /// Older versions ignore the filter, so all pages are read.
    private func find(_ name: String, _ key: Secret) throws(BackendError) -> User? {
        guard name.utf8.contains(UInt8(ascii: "@")) else {
            let user = try user(id: name, adminKey: key)
            return user.id?.lowercased() == name.lowercased() ? user : nil
        }
        var (page, beginnings) = (0, Set<String>())
        while true {
            page += 1
            let request = endpoints.users(page: page, size: Self.pageSize, filter: name, key)
            let rows = (try send(request)["users"]?.array ?? []).compactMap(\.object)
            guard let first = rows.first else { return nil }
            // A server that ignores `page` would send the same rows forever.
            guard beginnings.insert(first["id"]?.string ?? "").inserted else { throw .repeatsPage }
            let row = rows.first { $0["email"]?.string?.lowercased() == name.lowercased() }
            if let row { return SupabasePayloads.user(row) }
        }
    }

    private static let pageSize = 100
}

extension SupabaseBackend: UserListing, AdminCreating, AdminDeleting {
    /// The newest account is first, so new ones shift the pages: the caller drops repeated accounts.
    func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        let page = cursor.flatMap { Int($0) } ?? 1
        let request = endpoints.users(page: page, size: Self.pageSize, try adminKey.required())
        let rows = (try send(request)["users"]?.array ?? []).compactMap(\.object)
        return UserPage(rows.map(SupabasePayloads.listedUser), next: String(page + 1))
    }

    func createUser(_ account: NewAccount, adminKey: Secret) throws(BackendError) -> SignUpOutcome {
        try account.password.requireAtMost72Bytes()
        let request = endpoints.createUser(
            try Self.address(of: account), account.password, data: account.fields, adminKey)
        return .created(SupabasePayloads.user(try send(request)))
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        let request = endpoints.user(id: id, try adminKey.required())
        return SupabasePayloads.user(try send(request))
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        try send(endpoints.deleteUser(id: id, try adminKey.required()))
    }
}
