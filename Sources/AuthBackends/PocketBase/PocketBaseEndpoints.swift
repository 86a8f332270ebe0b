import AuthModel
import JSON
import Platform
import Transport

/// The requests of PocketBase 0.23 and later.
///
/// A session is sent as `Authorization: TOKEN`. The server treats a token that is expired, revoked or wrong like no
/// token: only requests that require a login, such as `auth-refresh`, reject it. Source: the exchanges in
/// `Tests/Exchanges/pocketbase`; documentation of PocketBase, "API: Records".
struct PocketBaseEndpoints: Endpoints {
    /// The URL of the site, without a trailing slash.
    let base: String
    /// The collection of the accounts.
    let collection: String

    /// `GET auth-methods`: 200 with `password {identityFields, enabled}`, `oauth2 {providers}`, `mfa`, `otp`; 404 if
    /// the collection is unknown or has no accounts.
    var authMethods: Call { call(.describeSite, .get, "\(records)auth-methods") }

    /// `POST records`: 200 with the record, without a token. The e-mail is missing unless it is visible to everyone.
    ///
    /// - Parameter key: a superuser's token; the account is then verified, unless its state says otherwise.
    func signUp(_ account: NewAccount, _ key: Secret? = nil) throws(BackendError) -> Call {
        var fields = Self.values(account.fields)
        fields["id"] = account.id.map(JSONValue.string)
        fields["username"] = account.username.map(JSONValue.string)
        fields["email"] = account.email.map(JSONValue.string)
        fields["verified"] = key.map { _ in .bool(account.state.emailVerified ?? true) }
        return call(.signUp, .post, "\(records)records", passwords(try account.requiredPassword(), fields), key)
    }

    /// `POST auth-with-password`: 200 with `token`, `record`; 401 with `mfaId` if a second factor is required.
    func logIn(_ credentials: Credentials) -> Call {
        let fields: JSONObject = [
            "identity": .string(credentials.login), "password": .string(credentials.password.reveal()),
        ]
        return call(.logIn, .post, "\(records)auth-with-password", fields)
    }

    /// `POST auth-refresh`: 200 with `token`, `record`; 401 for every token that is not valid. The token of the request
    /// stays valid, so a retry is harmless.
    func refresh(_ session: Session, _ operation: Operation = .refresh) -> Call {
        call(operation, .post, "\(records)auth-refresh", [:], session.token, isIdempotent: true)
    }

    /// `GET records/ID`: 200 with the record; 404 without the right to see it.
    func record(id: String, _ token: Secret?, _ operation: Operation) -> Call {
        call(operation, .get, record(id), nil, token, .account())
    }

    /// `PATCH records/ID`: 200 with the record.
    func update(id: String, _ fields: JSONObject, _ session: Session) -> Call {
        call(.updateUser, .patch, record(id), Self.values(fields), session.token)
    }

    /// `PATCH records/ID`: 200 with the record. All tokens of the user end.
    func changePassword(id: String, from current: Secret, to new: Secret, _ session: Session) -> Call {
        call(
            .changePassword, .patch, record(id), passwords(new, ["oldPassword": .string(current.reveal())]),
            session.token)
    }

    /// `DELETE records/ID`: 204.
    func delete(id: String, _ token: Secret, _ operation: Operation = .deleteAccount) -> Call {
        call(operation, .delete, record(id), nil, token)
    }

    // MARK: - E-mails

    /// `POST request-verification`: 204, even for unknown and verified addresses, and if no e-mail can be sent.
    func sendVerification(email: String) -> Call {
        call(.sendVerification, .post, "\(records)request-verification", ["email": .string(email)])
    }

    /// `POST confirm-verification`: 204, also for a used token.
    func verify(token: String) -> Call {
        call(.verifyEmail, .post, "\(records)confirm-verification", ["token": .string(token)])
    }

    /// `POST request-password-reset`: 204, as for `sendVerification`.
    func resetPassword(email: String) -> Call {
        call(.requestPasswordReset, .post, "\(records)request-password-reset", ["email": .string(email)])
    }

    /// `POST confirm-password-reset`: 204. All tokens of the user end.
    func resetPassword(token: String, to new: Secret) -> Call {
        call(
            .finishPasswordReset, .post, "\(records)confirm-password-reset", passwords(new, ["token": .string(token)]))
    }

    /// `POST request-email-change`: 204; the e-mail goes to the new address.
    func changeEmail(to email: String, _ session: Session) -> Call {
        call(
            .updateUser, .post, "\(records)request-email-change", ["newEmail": .string(email)], session.token, .nothing)
    }

    /// `POST confirm-email-change`: 204. All tokens of the user end.
    func changeEmail(token: String, _ password: Secret) -> Call {
        call(
            .verifyEmail, .post, "\(records)confirm-email-change",
            ["token": .string(token), "password": .string(password.reveal())])
    }

    // MARK: - One-time codes

    /// `POST request-otp`: 200 with `otpId`, even for unknown addresses.
    func requestCode(email: String) -> Call {
        call(.sendLogInCode, .post, "\(records)request-otp", ["email": .string(email)], nil, .account("otpId"))
    }

    /// `POST auth-with-otp`: the same response as for a login. The address is then verified.
    ///
    /// - Parameter mfaID: empty for a login without a password.
    func logIn(code: Secret, otpID: String, mfaID: String) -> Call {
        var fields: JSONObject = ["otpId": .string(otpID), "password": .string(code.reveal())]
        if !mfaID.isEmpty { fields["mfaId"] = .string(mfaID) }
        return call(.secondFactor, .post, "\(records)auth-with-otp", fields)
    }

    // MARK: - Identities

    /// `POST auth-with-oauth2`: 200 with `token`, `record`, and `meta`, which has the provider's tokens.
    ///
    /// - Parameter session: links the identity to its user. If the identity belongs to another user, the response has
    ///   the session of that user.
    func logIn(
        _ provider: IdentityProvider, code: Secret, redirectURI: String, verifier: Secret?, _ session: Session? = nil
    ) -> Call {
        var fields: JSONObject = [
            "provider": .string(provider.name), "code": .string(code.reveal()), "redirectURL": .string(redirectURI),
        ]
        fields["codeVerifier"] = verifier.map { .string($0.reveal()) }
        return call(
            session == nil ? .logInWithIdentity : .linkIdentity, .post, "\(records)auth-with-oauth2", fields,
            session?.token)
    }

    /// `GET _externalAuths`: 200 with the identities of the session's user.
    func identities(_ session: Session) -> Call {
        call(.listIdentities, .get, "\(Self.identities)?perPage=500&skipTotal=1", nil, session.token)
    }

    /// `DELETE _externalAuths/ID`: 204; 404 for an unknown identity and for one of another user.
    func unlink(id: String, _ session: Session) -> Call {
        call(.unlinkIdentity, .delete, "\(Self.identities)/\(id.percentEncoded)", nil, session.token)
    }

    private static let identities = "api/collections/_externalAuths/records"

    // MARK: - Superusers

    /// `GET collections`: 200 for a superuser's token; 401 or 403 for any other one.
    func checkKey(_ key: Secret) -> Call {
        call(.checkAdminKey, .get, "api/collections?perPage=1&fields=name", nil, key)
    }

    /// `GET collections`: 200 with `items [{name}]`, sorted by name.
    func collections(page: Int, _ key: Secret) -> Call {
        let query = "perPage=\(Self.collectionsPerPage)&page=\(page)&sort=name&fields=name"
        return call(.checkAdminKey, .get, "api/collections?\(query)", nil, key)
    }

    static let collectionsPerPage = 500

    /// `GET collections/NAME`: 200 with `fields [{name, type, system}]`, `passwordAuth {identityFields}`.
    func description(_ key: Secret) -> Call {
        call(
            .checkAdminKey, .get, "api/collections/\(collection.percentEncoded)", nil, key, .list("fields"))
    }

    /// `GET records`: 200 with `items`, ordered by id, so that accounts created meanwhile shift no page.
    func users(after id: String?, limit: Int, _ key: Secret) -> Call {
        let filter = id.map { "&filter=\("id>\(Self.quoted($0))".percentEncoded)" } ?? ""
        return call(.listUsers, .get, "\(records)records?perPage=\(limit)&skipTotal=1&sort=id\(filter)", nil, key)
    }

    /// `GET records`: 200 with the accounts that have this text, which has no backslash, in one of the fields.
    func users(named name: String, in fields: [String], _ key: Secret) -> Call {
        let filter = fields.map { "\($0)=\(Self.quoted(name))" }.joined(separator: "||").percentEncoded
        return call(.listUsers, .get, "\(records)records?perPage=2&skipTotal=1&filter=\(filter)", nil, key)
    }

    /// `PATCH records/ID`: 200 with the record. A new password or token key ends all tokens of the user; from 0.40 on, a
    /// new e-mail does, too.
    ///
    /// - Parameter tokenKey: at least 30 characters.
    func update(id: String, _ change: AccountChange, tokenKey: Secret?, _ key: Secret) -> Call {
        var fields = Self.values(change.user.values)
        fields["verified"] = change.emailVerified.map(JSONValue.bool)
        fields["tokenKey"] = tokenKey.map { .string($0.reveal()) }
        if let password = change.user.password { fields = passwords(password, fields) }
        return call(.changeUser, .patch, record(id), fields, key)
    }

    /// `POST impersonate/ID`: 200 with `token`, `record`. The token has the collection's usual lifetime.
    func logIn(asUser id: String, _ key: Secret) -> Call {
        call(.impersonate, .post, "\(records)impersonate/\(id.percentEncoded)", [:], key)
    }

    /// The text, which has no backslash, as a literal of a filter.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "\\'"))'" }

    // MARK: - Requests

    func headers(of session: Session) -> SessionHeaders { SessionHeaders("Authorization", session) }

    private var records: String { "api/collections/\(collection.percentEncoded)/" }

    private func record(_ id: String) -> String { "\(records)records/\(id.percentEncoded)" }

    /// The values without the types of Parse's dates and places, which a PocketBase field stores as empty.
    private static func values(_ fields: JSONObject) -> JSONObject {
        JSONObject(fields.members.map { .init(name: $0.name, value: $0.value.withoutParseType) })
    }

    private func passwords(_ password: Secret, _ fields: JSONObject) -> JSONObject {
        var fields = fields
        fields["password"] = .string(password.reveal())
        fields["passwordConfirm"] = .string(password.reveal())
        return fields
    }

    private func call(
        _ operation: Operation, _ method: HTTPRequest.Method, _ path: String, _ fields: JSONObject? = nil,
        _ token: Secret? = nil, _ required: Required? = nil, isIdempotent: Bool? = nil
    ) -> Call {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if let token { headers.add("Authorization", token.reveal()) }
        return Call(
            operation, method, "\(base)/\(path)", headers, fields, required, isIdempotent: isIdempotent)
    }
}
