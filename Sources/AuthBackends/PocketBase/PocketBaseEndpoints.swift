import AuthModel
import JSON
import Platform
import Transport

/// The requests of PocketBase 0.23 and later.
///
/// A session is sent as `Authorization: TOKEN`. The server treats a token that is expired, revoked or wrong like no
/// token: only requests that require a login, such as `auth-refresh`, reject it. Source: the exchanges in
/// `Tests/Exchanges/pocketbase`; documentation of PocketBase, "API: Records".
struct PocketBaseEndpoints: Sendable {
    /// The URL of the site, without a trailing slash.
    let base: String
    /// The collection of the accounts.
    let collection: String

    /// `GET auth-methods`: 200 with `password {identityFields, enabled}`, `oauth2 {providers}`, `mfa`, `otp`; 404 if
    /// the collection is unknown or has no accounts.
    var authMethods: HTTPRequest { request(.get, "\(records)auth-methods") }

    /// `POST records`: 200 with the record, without a token. The e-mail is missing unless it is visible to everyone.
    ///
    /// - Parameter key: a superuser's token; the account is then verified.
    func signUp(_ account: NewAccount, _ key: Secret? = nil) -> HTTPRequest {
        var fields = Self.values(account.fields)
        fields["username"] = account.username.map(JSONValue.string)
        fields["email"] = account.email.map(JSONValue.string)
        if key != nil { fields["verified"] = fields["verified"] ?? true }
        return request(.post, "\(records)records", passwords(account.password, fields), key)
    }

    /// `POST auth-with-password`: 200 with `token`, `record`; 401 with `mfaId` if a second factor is required.
    func logIn(_ credentials: Credentials) -> HTTPRequest {
        let fields: JSONObject = [
            "identity": .string(credentials.login), "password": .string(credentials.password.reveal()),
        ]
        return request(.post, "\(records)auth-with-password", fields)
    }

    /// `POST auth-refresh`: 200 with `token`, `record`; 401 for every token that is not valid. The token of the request
    /// stays valid, so a retry is harmless.
    func refresh(_ session: Session) -> HTTPRequest {
        request(.post, "\(records)auth-refresh", [:], session.token, isIdempotent: true)
    }

    /// `GET records/ID`: 200 with the record; 404 without the right to see it.
    func record(id: String, _ token: Secret?) -> HTTPRequest { request(.get, record(id), token) }

    /// `PATCH records/ID`: 200 with the record.
    func update(id: String, _ fields: JSONObject, _ session: Session) -> HTTPRequest {
        request(.patch, record(id), Self.values(fields), session.token)
    }

    /// `PATCH records/ID`: 200 with the record. All tokens of the user end.
    func changePassword(id: String, from current: Secret, to new: Secret, _ session: Session) -> HTTPRequest {
        update(id: id, passwords(new, ["oldPassword": .string(current.reveal())]), session)
    }

    /// `DELETE records/ID`: 204.
    func delete(id: String, _ token: Secret) -> HTTPRequest { request(.delete, record(id), token) }

    // MARK: - E-mails

    /// `POST request-verification`: 204, even for unknown and verified addresses, and if no e-mail can be sent.
    func sendVerification(email: String) -> HTTPRequest {
        request(.post, "\(records)request-verification", ["email": .string(email)])
    }

    /// `POST confirm-verification`: 204, also for a used token.
    func verify(token: String) -> HTTPRequest {
        request(.post, "\(records)confirm-verification", ["token": .string(token)])
    }

    /// `POST request-password-reset`: 204, as for `sendVerification`.
    func resetPassword(email: String) -> HTTPRequest {
        request(.post, "\(records)request-password-reset", ["email": .string(email)])
    }

    /// `POST confirm-password-reset`: 204. All tokens of the user end.
    func resetPassword(token: String, to new: Secret) -> HTTPRequest {
        request(.post, "\(records)confirm-password-reset", passwords(new, ["token": .string(token)]))
    }

    /// `POST request-email-change`: 204; the e-mail goes to the new address.
    func changeEmail(to email: String, _ session: Session) -> HTTPRequest {
        request(.post, "\(records)request-email-change", ["newEmail": .string(email)], session.token)
    }

    /// `POST confirm-email-change`: 204. All tokens of the user end.
    func changeEmail(token: String, _ password: Secret) -> HTTPRequest {
        request(
            .post, "\(records)confirm-email-change",
            ["token": .string(token), "password": .string(password.reveal())])
    }

    // MARK: - One-time codes

    /// `POST request-otp`: 200 with `otpId`, even for unknown addresses.
    func requestCode(email: String) -> HTTPRequest {
        request(.post, "\(records)request-otp", ["email": .string(email)])
    }

    /// `POST auth-with-otp`: the same response as for a login.
    func logIn(code: Secret, otpID: String, mfaID: String) -> HTTPRequest {
        let fields: JSONObject = [
            "otpId": .string(otpID), "password": .string(code.reveal()), "mfaId": .string(mfaID),
        ]
        return request(.post, "\(records)auth-with-otp", fields)
    }

    // MARK: - Identities

    /// `POST auth-with-oauth2`: 200 with `token`, `record`, and `meta`, which has the provider's tokens.
    ///
    /// - Parameter session: links the identity to its user. If the identity belongs to another user, the response has
    ///   the session of that user.
    func logIn(
        _ provider: IdentityProvider, code: Secret, redirectURI: String, verifier: Secret?, _ session: Session? = nil
    ) -> HTTPRequest {
        var fields: JSONObject = [
            "provider": .string(provider.name), "code": .string(code.reveal()), "redirectURL": .string(redirectURI),
        ]
        fields["codeVerifier"] = verifier.map { .string($0.reveal()) }
        return request(.post, "\(records)auth-with-oauth2", fields, session?.token)
    }

    /// `GET _externalAuths`: 200 with the identities of the session's user.
    func identities(_ session: Session) -> HTTPRequest {
        request(.get, "\(Self.identities)?perPage=500&skipTotal=1", session.token)
    }

    /// `DELETE _externalAuths/ID`: 204; 404 for an unknown identity and for one of another user.
    func unlink(id: String, _ session: Session) -> HTTPRequest {
        request(.delete, "\(Self.identities)/\(id.percentEncoded)", session.token)
    }

    private static let identities = "api/collections/_externalAuths/records"

    // MARK: - Superusers

    /// `GET collections`: 200 for a superuser's token; 401 or 403 for any other one.
    func checkKey(_ key: Secret) -> HTTPRequest { request(.get, "api/collections?perPage=1&fields=name", key) }

    /// `GET records`: 200 with `items`, ordered by id, so that accounts created meanwhile shift no page.
    func users(after id: String?, limit: Int, _ key: Secret) -> HTTPRequest {
        let filter = id.map { "&filter=\("id>\(Self.quoted($0))".percentEncoded)" } ?? ""
        return request(.get, "\(records)records?perPage=\(limit)&skipTotal=1&sort=id\(filter)", key)
    }

    /// `GET records`: 200 with the accounts that have this text, which has no backslash, in one of the fields.
    func users(named name: String, in fields: [String], _ key: Secret) -> HTTPRequest {
        let filter = fields.map { "\($0)=\(Self.quoted(name))" }.joined(separator: "||").percentEncoded
        return request(.get, "\(records)records?perPage=2&skipTotal=1&filter=\(filter)", key)
    }

    /// `POST impersonate/ID`: 200 with `token`, `record`. The token has the collection's usual lifetime.
    func logIn(asUser id: String, _ key: Secret) -> HTTPRequest {
        request(.post, "\(records)impersonate/\(id.percentEncoded)", [:], key)
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

    private func request(_ method: HTTPRequest.Method, _ path: String, _ token: Secret? = nil) -> HTTPRequest {
        request(method, path, nil, token)
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, _ fields: JSONObject?, _ token: Secret? = nil,
        isIdempotent: Bool? = nil
    ) -> HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if let token { headers.add("Authorization", token.reveal()) }
        if fields != nil { headers["Content-Type"] = "application/json" }
        return HTTPRequest(
            method, "\(base)/\(path)", headers: headers, body: fields.map { JSONValue.object($0).bytes },
            isIdempotent: isIdempotent)
    }
}
