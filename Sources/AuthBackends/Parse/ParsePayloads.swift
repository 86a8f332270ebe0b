import AuthModel
import JSON
import Platform

/// Reads the responses from Parse Server.
enum ParsePayloads {
    /// The fields that Parse Server adds to every object, except those that are properties of `User`.
    static let systemFields = ["updatedAt", "ACL"]
    /// The members of a user that are no field, beside those that `AccountColumns.isServerField` names.
    static let ownMembers = ["id", "username", "email", "emailVerified", "password", "authData"]
    /// The member with the password hash, in requests of this process to its own server. No field has such a name.
    static let hashMember = "_hashed_password"

    /// Reads a user, for example from `/login` and `/users/me`: `objectId`, `createdAt`, `updatedAt`, `username`,
    /// `email`?, `emailVerified`?, `authData`?, `ACL`?, and the application's own fields.
    ///
    /// `authData` contains provider tokens and second-factor secrets, so only provider names and ids are read. If
    /// `authData` is missing, the identities are unknown: the server omits it for a user without identities, but may
    /// also hide it. Source: `Tests/Exchanges/parse/answers.ndjson`.
    static func user(_ object: JSONObject) -> User {
        User(
            id: object["objectId"]?.string,
            username: object["username"]?.string,
            email: object["email"]?.string,
            emailVerified: object["emailVerified"]?.bool,
            createdAt: object["createdAt"]?.string.flatMap { Instant($0) },
            identities: identities(object["authData"]),
            fields: JSONObject(object.members.filter { !isOwn($0.name) })
        ).reading(email: object["email"])
    }

    /// Reads a user from a list of accounts.
    static func listedUser(_ object: JSONObject) -> User {
        var user = user(object)
        user.hiddenFields = JSONObject(object.members.filter { !isReadOnly($0.name) }).secretNames
        return user
    }

    /// The user in Parse's format.
    static func object(of user: User) -> JSONObject {
        var object = user.fields
        let members: [(String, String?)] = [
            ("objectId", user.id), ("username", user.username), ("email", user.email),
            ("createdAt", user.createdAt?.text),
        ]
        for (name, value) in members where value != nil { object[name] = JSONValue(value) }
        if let isVerified = user.emailVerified { object["emailVerified"] = .bool(isVerified) }
        return object
    }

    /// The user that a signup created, with the username and e-mail from the request if the response lacks them. Other
    /// requested fields are not copied, because a hook of the application may have dropped them.
    static func user(_ object: JSONObject, from account: NewAccount) -> User {
        var user = user(object)
        user.username = user.username ?? account.username
        user.email = user.email ?? account.email
        return user
    }

    /// The fields of an update. Source: Parse REST guide, "Deleting Fields".
    static func fields(of change: UserChange) -> JSONObject {
        var fields = change.values
        for name in change.unset { fields[name] = ["__op": "Delete"] }
        return fields
    }

    static func token(_ object: JSONObject, _ masker: Masker) -> Secret? {
        Secret(token: object["sessionToken"], masker)
    }

    /// Reads a row of `/sessions`: `objectId`, `createdAt`, `expiresAt`?, `createdWith`: `{"action","authProvider"?}`,
    /// `installationId`?.
    static func session(_ row: JSONObject, currentID: String?) -> SessionSummary? {
        guard let id = row["objectId"]?.string else { return nil }
        let origin = row["createdWith"]
        return SessionSummary(
            id: id, isCurrent: id == currentID,
            createdAt: row["createdAt"]?.string.flatMap { Instant($0) },
            expiresAt: date(row["expiresAt"]),
            createdWith: origin?["authProvider"]?.string ?? origin?["action"]?.string,
            device: row["installationId"]?.string)
    }

    /// Reads `{"__type":"Date","iso":"…"}`, or only the text.
    static func date(_ value: JSONValue?) -> Instant? {
        (value?["iso"]?.string ?? value?.string).flatMap { Instant($0) }
    }

    /// Reads `{"facebook":{"id","access_token",…},"anonymous":{"id"},"mfa":{…}}`. `mfa` is a second factor, not an
    /// identity.
    private static func identities(_ authData: JSONValue?) -> [Identity]? {
        authData?.object?.members.filter { $0.value != .null && $0.name != "mfa" }.map { member in
            // The id of an anonymous identity is a secret, because it is sufficient for a login.
            Identity(provider: member.name, id: member.name == "anonymous" ? nil : member.value["id"]?.identifier)
        }
    }

    /// Whether `UserChange.fields` cannot set the field: the server would ignore or reject the value, or authctl sets
    /// the field in another way.
    ///
    /// - Parameter name: a field, or a member of one, such as `prefs.size`.
    static func isReadOnly(_ name: String) -> Bool {
        let field = String(name.prefix { $0 != "." })
        return isOwn(field) || field == "updatedAt" || field == "sessionToken"
    }

    /// Whether a member is a property of `User`, is internal to the server, or contains secrets, like `authData`.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "objectId", "createdAt", "username", "email", "emailVerified": true
        case "__type", "className": true
        case "authData", "authDataResponse": true
        default: name.hasPrefix("_")
        }
    }
}
