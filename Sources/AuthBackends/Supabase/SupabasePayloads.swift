import AuthModel
import JSON
import Platform

/// Reads the responses from Supabase Auth.
enum SupabasePayloads {
    /// Members of a user that authctl shows beside the user's own fields, which are in `user_metadata`.
    static let systemFields = ["is_anonymous", "new_email"]

    /// Members of `user_metadata` that the server writes. Users can overwrite them, so they prove nothing.
    static let claims = ["sub", "email", "email_verified", "phone_verified"]

    /// Members of `app_metadata` that the server writes.
    static let reservedClaims = ["provider", "providers"]

    /// Whether `UserChange.fields` cannot set the field.
    static func isReadOnly(_ name: String) -> Bool {
        systemFields.contains(name) || claims.contains(name)
    }

    /// Reads `id`, `email`, `email_confirmed_at`, `phone`, `user_metadata`, `app_metadata`, `identities`, `created_at`.
    static func user(_ object: JSONObject) -> User {
        var fields = JSONObject(
            (object["user_metadata"]?.object?.members ?? []).filter { !isReadOnly($0.name) })
        fields["new_email"] = object["new_email"]?.filledText.map(JSONValue.string)
        if object["is_anonymous"] == true { fields["is_anonymous"] = true }
        let email = object["email"]?.filledText
        var user = User(
            id: object["id"]?.identifier, email: email,
            emailVerified: email.map { _ in object["email_confirmed_at"]?.filledText != nil },
            createdAt: time("created_at", of: object), identities: rows(object).map { $0.map(\.identity) },
            fields: fields
        ).reading(email: object["email"])
        user.phone = object["phone"]?.filledText
        user.phoneVerified = user.phone.map { _ in object["phone_confirmed_at"]?.filledText != nil }
        user.claims = object["app_metadata"]?.object.map { data in
            JSONObject(data.members.filter { !reservedClaims.contains($0.name) })
        }
        return user
    }

    /// Reads a user from a list of accounts, or one that the administrator requested.
    static func listedUser(_ object: JSONObject, at now: Instant) -> User {
        var user = user(object)
        user.disabled = time("banned_until", of: object).map { now < $0 } ?? false
        user.hiddenFields = ["user_metadata", "app_metadata"].flatMap { object[$0]?.object?.secretNames ?? [] }
        return user
    }

    static func time(_ name: String, of object: JSONObject) -> Instant? { object[name]?.string.flatMap { Instant($0) } }

    /// Reads the identities with the ids for `unlink`; `nil` if the server does not report them, as in a list.
    static func rows(_ user: JSONObject) -> [(id: String, identity: Identity)]? {
        user["identities"]?.array?.compactMap { row in
            guard let provider = row["provider"]?.filledText else { return nil }
            return (row["identity_id"]?.identifier ?? "", Identity(provider: provider, id: row["id"]?.identifier))
        }
    }

    /// Reads `access_token`, `refresh_token`, `expires_in`; `nil` if there is no session.
    static func session(_ payload: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        for name in ["provider_token", "provider_refresh_token"] { _ = Secret(token: payload[name], masker) }
        let refreshToken = Secret(token: payload["refresh_token"], masker)
        guard let token = Secret(token: payload["access_token"], masker) else { return nil }
        let life = payload["expires_in"]?.integer.flatMap { 1...100_000_000 ~= $0 ? $0 : nil }
        return Session(
            token: token, refreshToken: refreshToken, id: id(of: token), createdAt: now,
            expiresAt: JWT(token)?.end(issuedAt: now) ?? life.map { now.adding(.seconds($0)) })
    }

    /// Reads the response to a signup without a session: an unconfirmed account that existed is older than the
    /// confirmation that was sent now. `nil` for a confirmed address: the server makes up a user without identities.
    static func pending(_ payload: JSONObject) -> Pending? {
        if payload["identities"] == .array([]) { return nil }
        let (start, sent) = (time("created_at", of: payload), time("confirmation_sent_at", of: payload))
        let age = start.flatMap { start in sent.map { $0.milliseconds - start.milliseconds } }
        return Pending(
            payload["email"]?.filledText == nil ? .phoneVerification : .emailVerification, isCertain: age != nil,
            mayHaveExisted: age.map { $0 > 1000 } ?? true)
    }

    static func id(of token: Secret) -> String? { JWT.payload(of: token)?["session_id"]?.identifier }

    /// The factors of the user that a code can verify, and whether the session lacks the second level.
    static func secondFactor(_ user: JSONObject, _ session: Session) -> (totp: String?, isMissing: Bool) {
        let factors = (user["factors"]?.array ?? []).filter { $0["status"] == "verified" }
        let totp = factors.first { $0["factor_type"] == "totp" }?["id"]?.identifier
        return (totp, !factors.isEmpty && JWT.payload(of: session.token)?["aal"] != "aal2")
    }
}

/// The key of an e-mail: a link `…/verify?token=HASH&type=TYPE`, or `SITE?token_hash=HASH&type=TYPE`, a hash alone, or a
/// code of digits. Source: the exchanges `confirm/verify-…`.
struct SupabaseMailKey {
    let text: String
    /// The type in the link.
    let type: String?
    private let isCode: Bool

    /// Reads a link, a hash or a code, and registers it as a secret.
    init(_ key: MailKey, _ masker: Masker) throws(BackendError) {
        let query = key.link?.query ?? [:]
        for name in ["access_token", "refresh_token"] { masker.register(query[name] ?? "") }
        if let code = query["error_code"] {
            throw BackendError(
                .wrongCode, "the link was opened before, and the server answered '\(masker.mask(code).start(80))'")
        }
        if query["access_token"] != nil {
            throw BackendError(
                .usage, "the link was opened before: this is the address of the page that it led to",
                next: "the address is verified; log in, or request a new e-mail")
        }
        let text = key.link == nil ? key.text : query["token_hash"] ?? query["token"] ?? ""
        guard !text.isEmpty else { throw BackendError(.usage, "the link contains no token") }
        masker.register(text)
        self.text = text
        type = query["type"]
        isCode = key.link == nil && text.utf8.count <= 10 && text.isASCIIDigits
    }

    /// The members of the request. A code is valid only with the address that it was sent to.
    func fields(_ type: String, _ address: String?) throws(BackendError) -> JSONObject {
        guard isCode else { return ["type": .string(type), "token_hash": .string(text)] }
        guard let address else {
            throw BackendError(
                .usage, "the code alone is not sufficient: the server needs the address that it was sent to",
                next: "add --email ADDRESS; for a password reset, add the address as an argument")
        }
        var fields = SupabaseEndpoints.address(address)
        fields["type"] = .string(SupabaseEndpoints.isPhone(address) ? "sms" : type)
        fields["token"] = .string(text)
        return fields
    }

    /// Identifies the key and its address, without white space and `:`.
    func name(_ address: String?) -> String { (isCode ? "\(text) \(address ?? "")" : text).percentEncoded }
}
