import AuthModel
import JSON

/// Requests with an access token of Google. The emulator accepts the word `owner`.
extension FirebaseBackend: Administering {
    func check(adminKey: Secret) throws(BackendError) {
        _ = try users(after: nil, limit: 1, adminKey: adminKey)
    }

    func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        try page(after: cursor, limit, adminKey)
    }

    func users(withHashesAfter cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        try page(after: cursor, limit, adminKey, try hashParameters(adminKey))
    }

    private func page(
        after cursor: String?, _ limit: Int, _ adminKey: Secret?, _ hashParameters: String? = nil
    ) throws(BackendError) -> UserPage {
        let (key, project) = try administrator(adminKey)
        let payload = try send(endpoints.users(after: cursor, limit: limit, key, project))
        let rows = (payload["users"]?.array ?? []).compactMap(\.object)
        // The text `REDACTED`. Source: `UserRecord` of firebase-admin.
        let isRedacted = rows.contains { $0["passwordHash"] == "UkVEQUNURUQ=" }
        if hashParameters != nil, isRedacted { throw .lacksHashRight }
        let users = rows.map { FirebasePayloads.listedUser($0, hashParameters) }
        for user in users { masker.register(user.passwordHash) }
        return UserPage(users, next: payload["nextPageToken"]?.filledText)
    }

    private func hashParameters(_ adminKey: Secret?) throws(BackendError) -> String {
        if let known = hashParameters.value { return known }
        guard endpoints.emulator == nil else {
            throw BackendError(.unsupported, "the emulator keeps no password hashes, but the passwords themselves")
        }
        let (key, project) = try administrator(adminKey)
        let payload: JSONObject
        do throws(BackendError) {
            payload = try send(endpoints.configuration(key, project))
        } catch {
            throw error.reason == .forbidden ? .lacksHashRight : error
        }
        guard let config = payload["signIn"]?["hashConfig"]?.object else { throw .lacksHashRight }
        masker.register(config["signerKey"]?.string ?? "")
        guard let parameters = FirebasePayloads.hashParameters(config) else {
            throw BackendError(.unsupported, "the project's password hashes have an unknown form")
        }
        hashParameters.value = parameters
        return parameters
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        FirebasePayloads.listedUser(try row(id: id, adminKey))
    }

    func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        let isPhone = name.hasPrefix("+")
        guard isPhone || name.utf8.contains(UInt8(ascii: "@")) else { return [] }
        return try rows(isPhone ? "phoneNumber" : "email", name, adminKey).map { FirebasePayloads.listedUser($0) }
            .filter { isPhone ? $0.phone == name : $0.email?.lowercased() == name.lowercased() }
    }

    private func row(id: String, _ adminKey: Secret?) throws(BackendError) -> JSONObject {
        guard let row = try rows("localId", id, adminKey).first(where: { $0["localId"]?.string == id }) else {
            throw BackendError(.notFound, "no user has that id")
        }
        return row
    }

    private func rows(_ name: String, _ value: String, _ adminKey: Secret?) throws(BackendError) -> [JSONObject] {
        let (key, project) = try administrator(adminKey)
        return (try send(endpoints.user(name, value, key, project))["users"]?.array ?? []).compactMap(\.object)
    }

    /// Creates the account, then sets its claims. An account with a password hash gets them with the request that creates
    /// it.
    ///
    /// - Throws: a `BackendError` with `isAfterSuccess` if only a later request failed.
    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        let (key, project) = try administrator(adminKey)
        try Self.require(account.fields, of: FirebasePayloads.settableFields)
        let claims = try FirebasePayloads.customAttributes(of: [:], changing: account.state.claims)
        var fields = account.fields
        if account.phone == nil || account.email != nil || account.username != nil {
            fields["email"] = .string(try Self.email(of: account))
        }
        // The server wants the plus sign, and Supabase shows numbers without it.
        let phone = account.phone.map { $0.isASCIIDigits ? "+\($0)" : $0 }
        fields["phoneNumber"] = phone.map(JSONValue.string) ?? fields["phoneNumber"]
        fields["password"] = account.password.map { .string($0.reveal()) }
        fields["emailVerified"] = account.state.emailVerified.map(JSONValue.bool)
        fields["disabled"] = account.state.disabled.map(JSONValue.bool)
        fields["localId"] = account.id.map(JSONValue.string)
        let id: String
        if let hash = account.passwordHash {
            id = account.id ?? randomness.hex(byteCount: 14)
            fields["localId"] = .string(id)
            if !account.state.claims.isEmpty { fields["customAttributes"] = claims }
            try importUser(fields, hash, adminKey)
        } else {
            id = try send(endpoints.createUser(fields, key, project))["localId"]?.string ?? ""
        }
        return try afterSuccess("created") { () throws(BackendError) in
            if account.passwordHash == nil, !account.state.claims.isEmpty {
                try send(endpoints.update(["localId": .string(id), "customAttributes": claims], key, project))
            }
            return .created(try user(id: id, adminKey: adminKey))
        }
    }

    /// The service does not look for other accounts with the names. Source: Firebase, "Import users".
    private func importUser(
        _ fields: JSONObject, _ hash: HashedPassword, _ adminKey: Secret?
    ) throws(BackendError) {
        guard endpoints.emulator == nil else {
            throw BackendError(
                .unsupported, "the emulator does not check password hashes: nobody could log in to the account",
                next: "to create accounts without a password, add --drop passwordHash")
        }
        for (name, field) in [("email", "email"), ("phoneNumber", "phone")] {
            guard let value = fields[name]?.string, try !rows(name, value, adminKey).isEmpty else { continue }
            let fault = FieldFault(field, "is already taken")
            throw BackendError(field == "email" ? .emailTaken : .phoneTaken, fault.sentence, fields: [fault])
        }
        let (key, project) = try administrator(adminKey)
        let payload = try send(endpoints.importUser(try FirebasePayloads.upload(fields, hash), key, project))
        guard let error = payload["error"]?.array?.first else { return }
        let text = masker.mask(error["message"]?.string ?? "").start(200)
        throw BackendError(.invalidFields, "the server rejected the account (\"\(text)\")")
    }

    /// The response has neither the claims nor the state, so the account is requested after the change.
    ///
    /// - Throws: as `createUser`; `BackendError` `conflict` if another administrator removed the claims meanwhile.
    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        let (key, project) = try administrator(adminKey)
        guard let id = user.id else { throw .namesNoUser() }
        try Self.check(change.user, FirebasePayloads.settableFields)
        var fields = FirebasePayloads.fields(change.user)
        fields["email"] = change.user.email.map(JSONValue.string)
        fields["password"] = change.user.password.map { .string($0.reveal()) }
        fields["emailVerified"] = change.emailVerified.map(JSONValue.bool)
        fields["disableUser"] = change.disabled.map(JSONValue.bool)
        // In seconds. Source: the exchange `admin/end-sessions`.
        if change.endsSessions { fields["validSince"] = .string(String(server.clock.now().seconds)) }
        var row = change.claims.isEmpty ? [:] : try row(id: id, adminKey)
        // A new text replaces all claims, also one that another administrator wrote meanwhile.
        for _ in 1...3 {
            if !change.claims.isEmpty {
                fields["customAttributes"] = try FirebasePayloads.customAttributes(of: row, changing: change.claims)
            }
            fields["localId"] = .string(id)
            let payload = try send(endpoints.update(fields, key, project))
            // Registers the tokens of the user as secrets.
            _ = FirebasePayloads.session(payload, at: server.clock.now(), masker)
            row = try afterSuccess("changed") { () throws(BackendError) in try self.row(id: id, adminKey) }
            let claims = FirebasePayloads.claims(row) ?? [:]
            if change.claims.members.allSatisfy({ $0.value.isStored(as: claims[$0.name] ?? .null) }) {
                return FirebasePayloads.listedUser(row)
            }
            fields = [:]
        }
        throw BackendError(
            .conflict, "another administrator changes the claims of the account at the same time",
            next: "run the command again")
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        let (key, project) = try administrator(adminKey)
        try send(endpoints.delete(id: id, key, project))
    }

    /// Logs in with a custom token, which the service account of the settings signs. Only the emulator accepts an unsigned
    /// one. It creates an account for an unknown id.
    func logIn(as user: User, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        guard let id = user.id else { throw .namesNoUser() }
        let token =
            endpoints.emulator == nil
            ? try customToken(of: id, adminKey) : (["uid": .string(id)] as JSONValue).text
        return Reply(try logIn(endpoints.logIn(customToken: token, .impersonate)))
    }

    /// Source: Firebase, "Create custom tokens", the claims; `signJwt` of IAM in place of a private key.
    private func customToken(of id: String, _ adminKey: Secret?) throws(BackendError) -> String {
        guard let account = endpoints.serviceAccount else {
            throw BackendError(
                .usage, "a login on behalf of a user needs a service account, whose name signs the token",
                next: NextStep(
                    "set its e-mail",
                    run: ["profile", "set", NextStep.profile, "serviceAccount", "NAME@PROJECT.iam.gserviceaccount.com"])
            )
        }
        let now = server.clock.now().seconds
        let claims: JSONObject = [
            "iss": .string(account), "sub": .string(account), "aud": .string(FirebasePayloads.customAudience),
            "iat": .integer(now), "exp": .integer(now + 3600), "uid": .string(id),
        ]
        let call = endpoints.sign(claims, by: account, try administrator(adminKey).key)
        do throws(BackendError) {
            let signer = ServerClient(FirebaseEndpoints.signer, server.stack)
            let payload = try FirebaseErrors.check(try signer.response(to: call), call.required)
            return try Secret(token: payload["signedJwt"], masker).orNoSession().reveal()
        } catch {
            guard [403, 404].contains(error.server?.status) else { throw error }
            let text = error.server?.message.map { ": \"\($0.start(300))\"" } ?? ""
            throw BackendError(
                .forbidden, "the access token cannot sign as '\(account)'\(text)",
                next: "grant its account the role roles/iam.serviceAccountTokenCreator on this service account",
                server: error.server)
        }
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

extension BackendError {
    /// Source: Firebase, "IAM permissions".
    fileprivate static var lacksHashRight: BackendError {
        BackendError(
            .forbidden, "the access token has no right to read password hashes",
            next: "grant its account the permission 'firebaseauth.configs.getHashConfig'")
    }
}
