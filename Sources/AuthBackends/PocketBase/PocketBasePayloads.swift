import AuthModel
import JSON
import Platform

/// Reads the responses from PocketBase.
enum PocketBasePayloads {
    /// The fields that PocketBase adds to every record, except those that are properties of `User`.
    static let systemFields = ["collectionId", "collectionName", "updated", "emailVisibility"]

    /// The members of a record that no field of an account may have as its name.
    static let ownMembers = [
        "id", "collectionId", "collectionName", "username", "email", "emailVisibility", "verified", "tokenKey",
        "password", "passwordConfirm",
        "oldPassword",
    ]

    /// Reads a record of a collection with accounts: `id`, `collectionId`, `collectionName`, `email`?, `verified`,
    /// `emailVisibility`, usually `created` and `updated`, and the collection's own fields, such as `username`.
    ///
    /// `email` is missing if the reader may not see it.
    static func user(_ record: JSONObject) -> User {
        User(
            id: record["id"]?.string, username: record["username"]?.filledText, email: record["email"]?.filledText,
            emailVerified: record["verified"]?.bool, createdAt: record["created"]?.string.flatMap(instant),
            fields: JSONObject(record.members.filter { !isOwn($0.name) })
        ).reading(email: record["email"])
    }

    /// Reads a user from a list of accounts.
    static func listedUser(_ record: JSONObject) -> User {
        var user = user(record)
        user.hiddenFields = record.secretNames
        return user
    }

    /// Reads a time such as `2026-01-02 03:04:05.678Z`.
    private static func instant(_ text: String) -> Instant? {
        Instant(text.replacing(" ", with: "T"))
    }

    /// Reads the session of a response with `token`; `nil` if there is none.
    ///
    /// The token is a JWT without `iat`. A session without a start time is not renewed: see `SessionProvider.renewalTime`.
    static func session(_ payload: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        Secret(token: payload["token"], masker).map { session($0, at: now) }
    }

    static func session(_ token: Secret, at now: Instant) -> Session {
        let isRenewable = JWT.payload(of: token)?["refreshable"]?.bool ?? true
        return Session(token: token, createdAt: isRenewable ? now : nil, expiresAt: JWT(token)?.expiresAt)
    }

    /// Reads a row of `_externalAuths`: `id`, `provider`, `providerId`.
    static func identity(_ row: JSONObject) -> (id: String, identity: Identity)? {
        guard let id = row["id"]?.identifier, let provider = row["provider"]?.string else { return nil }
        return (id, Identity(provider: provider, id: row["providerId"]?.identifier))
    }

    /// Reads the ways to log in: `password {identityFields, enabled}`, `oauth2 {providers [{name}]}`.
    static func site(_ methods: JSONObject) -> SiteTraits {
        let names = identityFields(methods)
        return SiteTraits(
            takesUsername: names.contains { $0 != "email" }, takesEmail: names.contains("email"),
            isOpenForSignUp: true,
            providers: (methods["oauth2"]?["providers"]?.array ?? []).compactMap { $0["name"]?.string }.map {
                SiteProvider(name: $0, clientID: nil, takesTokens: false)
            })
    }

    /// The fields whose values identify an account at a login.
    static func identityFields(_ methods: JSONObject) -> [String] {
        methods["password"]?["identityFields"]?.array?.compactMap(\.string) ?? []
    }

    /// The fields with names of an account, from the description of the collection: those that identify it at a login,
    /// the e-mail and `username`.
    static func nameFields(_ collection: JSONObject) -> [String] {
        let identity = identityFields(["password": collection["passwordAuth"] ?? .null])
        let names = identity + ["email"] + ownFields(collection).filter { $0 == "username" }
        return names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The fields of the collection that JSON can set: not those of all collections, nor times of changes, nor files, whose
    /// names the server rejects.
    static func ownFields(_ collection: JSONObject) -> [String] {
        (collection["fields"]?.array ?? []).filter {
            $0["system"] != true && !["autodate", "file"].contains($0["type"])
        }
        .compactMap { $0["name"]?.string }
    }

    /// Whether `UserChange.fields` cannot set the field.
    static func isReadOnly(_ name: String) -> Bool {
        ["id", "collectionId", "collectionName", "created", "updated"].contains(name)
            || ownMembers.contains(name) && name != "emailVisibility" && name != "username"
    }

    /// Whether a member is a property of `User`.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "id", "username", "email", "verified", "created": true
        default: false
        }
    }
}

/// The token in a link from an e-mail: `SITE/_/#/auth/confirm-verification/TOKEN`, which a site can change. The token is
/// a JWT, whose claims `type` and `newEmail` show its purpose.
struct PocketBaseMailToken {
    private static let purposes: [String: MailPurpose] = [
        "verification": .verifyEmail, "passwordReset": .resetPassword, "emailChange": .changeEmail,
    ]

    let text: String
    let purpose: MailPurpose?
    /// The address that becomes the e-mail of the account.
    let newEmail: String?

    /// Reads a link or a token, and registers the token as a secret; `nil` if the link contains no token.
    init?(_ key: MailKey, _ masker: Masker) {
        guard let text = key.link.map({ $0.query["token"] ?? $0.path.last }) ?? key.text, !text.isEmpty else {
            return nil
        }
        masker.register(text)
        let claims = JWT.payload(of: Secret(text))
        (self.text, newEmail) = (text, claims?["newEmail"]?.string)
        purpose = claims?["type"]?.string.flatMap { Self.purposes[$0] }
    }
}
