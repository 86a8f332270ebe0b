import AuthModel
import JSON
import Platform

/// Requests with the secret key.
extension SupabaseBackend: Administering {
    func check(adminKey: Secret) throws(BackendError) {
        try send(endpoints.users(page: 1, size: 1, adminKey))
    }

    func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        try page(cursor, limit, try adminKey.required())
    }

    /// The newest account is first, so new ones shift the pages. Accounts of one SQL statement have one time, so that
    /// pages overlap. Source: Supabase Auth, `adminUsers`.
    private func page(
        _ cursor: String?, _ size: Int, filter: String? = nil, _ key: Secret
    ) throws(BackendError) -> UserPage {
        let number = cursor.flatMap { Int($0) } ?? 1
        let request = endpoints.users(page: number, size: size, filter: filter, key)
        let response = try server.response(to: request)
        let rows = (try SupabaseErrors.check(response)["users"]?.array ?? []).compactMap(\.object)
        return UserPage(
            rows.map(listedUser), next: rows.isEmpty ? nil : String(number + 1),
            total: response.http.headers["X-Total-Count"].flatMap { Int($0) } ?? 0)
    }

    private func listedUser(_ object: JSONObject) -> User {
        SupabasePayloads.listedUser(object, at: server.clock.now())
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        listedUser(try send(endpoints.user(id: id, try adminKey.required())))
    }

    /// Older versions ignore the filter, so all pages are read. The filter finds no phone numbers, and compares addresses
    /// as they are stored, in lower case. Users of single sign-on can share an address, and no users a phone number. Source:
    /// Supabase Auth, `FindUsersInAudience`.
    func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        let key = try adminKey.required()
        let isPhone = SupabaseEndpoints.isPhone(name)
        guard isPhone || name.utf8.contains(UInt8(ascii: "@")) else { return [] }
        let value = isPhone ? name.filter { $0 != "+" } : name.lowercased()
        var found: [User] = []
        let fault = try UserPage.readAll { cursor, size throws(BackendError) in
            try page(cursor, size, filter: isPhone ? nil : value, key)
        } _: { new throws(BackendError) in
            found += new.filter { (isPhone ? $0.phone : $0.email?.lowercased()) == value }
            return found.count < (isPhone ? 1 : 2)
        }
        if let fault { throw BackendError(.invalidResponse, fault) }
        return found
    }

    /// The tables and views of the Data API. Its functions are not lists.
    func describedLists(adminKey: Secret?) throws(BackendError) -> [DescribedList]? {
        let document = try send(endpoints.dataAPI(of: server.base, try adminKey.required()))
        let tables = document["definitions"] ?? .null
        return (document["paths"]?.object?.members ?? []).compactMap { member in
            let name = String(member.name.dropFirst())
            guard member.value["get"] != nil, !name.isEmpty, !name.hasPrefix("rpc/") else { return nil }
            let path = "/rest/v1/\(name.percentEncoded)"
            // Source: PostgREST, `OpenAPI.hs`: the description of a column of the primary key ends with this mark.
            let keys = (tables[name]?["properties"]?.object?.members ?? []).filter {
                $0.value["description"]?.string?.holds("<pk/>") == true
            }
            let parts = keys.enumerated().flatMap { index, key -> [DescribedList.Part] in
                [.text("\(index == 0 ? "\(path)?" : "&")\(key.name.percentEncoded)=eq."), .member([key.name])]
            }
            return DescribedList(path: path, item: parts)
        }
    }

    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        try account.password?.requireAtMost72Bytes()
        let (address, key) = (try Self.address(of: account, takesBoth: true), try adminKey.required())
        if let hash = account.passwordHash { try requireVersion(for: hash.kind, key) }
        return .created(listedUser(try send(endpoints.createUser(address, account, key))))
    }

    /// Older versions ignore the hash, so that nobody can log in, or, for argon2, accept every password. Sources: the
    /// changelog of Supabase Auth, 2.155.0 (pull request 1641), 2.162.0 (1768) and 2.167.0 (1887).
    ///
    /// - Throws: `BackendError` `invalidFields` if the server is older, or does not name its version.
    private func requireVersion(for kind: HashedPassword.Kind, _ key: Secret) throws(BackendError) {
        let versions: [HashedPassword.Kind: Int] = [.bcrypt: 155, .fbscrypt: 162, .argon2id: 167, .argon2i: 167]
        guard let first = versions[kind] else {
            throw BackendError(.invalidFields, "Supabase Auth does not accept hashes of \(kind.rawValue)")
        }
        if version.value == nil { version.value = try send(endpoints.health(key))["version"]?.string ?? "" }
        let name = version.value ?? ""
        let numbers = name.drop { $0 == "v" }.split(separator: "." as Character).map { Int($0) ?? 0 } + [0, 0]
        guard (numbers[0], numbers[1]) < (2, first) else { return }
        let own = name.isEmpty ? "the server names no version" : "the server has \(masker.mask(name).start(20))"
        let fault = FieldFault("passwordHash", "of \(kind.rawValue) needs Supabase Auth 2.\(first), and \(own)")
        throw BackendError(
            .invalidFields, fault.sentence, next: "to create accounts without a password, add --drop passwordHash",
            fields: [fault])
    }

    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        try check(change.user)
        try change.user.password?.requireAtMost72Bytes()
        guard let id = user.id else { throw .namesNoUser() }
        return listedUser(try send(endpoints.update(id: id, change, try adminKey.required())))
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
