import AuthModel
import JSON
import Platform

enum KiiPayloads {
    /// The response of `users/me`. Without `_thirdPartyAccounts` no identity is linked.
    static func me(_ object: JSONObject) -> User {
        var user = user(object)
        user.identities = user.identities ?? []
        return user
    }

    /// `userID`, `loginName`?, `emailAddress`?, `emailAddressVerified`?, `displayName`?, `phoneNumber`?, then the
    /// application's own fields. Members that begin with `_` belong to the server.
    static func user(_ object: JSONObject) -> User {
        User(
            id: object["userID"]?.identifier, username: object["loginName"]?.filledText,
            email: object["emailAddress"]?.filledText, emailVerified: object["emailAddressVerified"]?.bool,
            identities: identities(object), fields: JSONObject(object.members.filter { !isOwn($0.name) })
        ).reading(email: object["emailAddress"])
    }

    /// The user of a signup, whose response may contain only the id.
    static func user(_ object: JSONObject, from account: NewAccount) -> User {
        var user = user(object)
        user.username = user.username ?? account.username
        user.email = user.email ?? account.email
        if let phone = account.phone, user.fields["phoneNumber"] == nil { user.fields["phoneNumber"] = .string(phone) }
        return user
    }

    /// The session of a login: `access_token`, `expires_in` in seconds, `refresh_token`?.
    static func session(_ object: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        guard let token = Secret(token: object["access_token"], masker) else { return nil }
        return Session(
            token: token, refreshToken: Secret(token: object["refresh_token"], masker), createdAt: now,
            expiresAt: end(object["expires_in"], from: now))
    }

    /// The session that a signup may return: `_accessToken`, `_refreshToken`?. Its expiry is not reported.
    static func firstSession(_ object: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        guard let token = Secret(token: object["_accessToken"], masker) else { return nil }
        return Session(token: token, refreshToken: Secret(token: object["_refreshToken"], masker), createdAt: now)
    }

    /// `_thirdPartyAccounts`: `{"facebook": {"id", "type", "createdAt"}}`.
    private static func identities(_ object: JSONObject) -> [Identity]? {
        object["_thirdPartyAccounts"]?.object?.members.filter { $0.value != .null }.map { member in
            let provider = KiiProvider.all.first { $0.member == member.name }
            return Identity(provider: provider?.provider.name ?? member.name, id: member.value["id"]?.identifier)
        }
    }

    /// Only `false` is reliable: an account created by a Facebook login was seen with `true`.
    static func hasPassword(_ object: JSONObject) -> Bool? { object["_hasPassword"]?.bool == false ? false : nil }

    /// Adds seconds to a time; `nil` for a sum that is not a time.
    private static func end(_ lifetime: JSONValue?, from now: Instant) -> Instant? {
        guard let (sum, overflow) = lifetime?.integer.map(now.seconds.addingReportingOverflow), !overflow else {
            return nil
        }
        return Instant(seconds: sum)
    }

    /// The fields that an update must repeat. The others stay if they are left out.
    static func applicationFields(_ object: JSONObject) -> JSONObject {
        JSONObject(object.members.filter { !isReadOnly($0.name) && !isPermanent($0.name) })
    }

    /// Whether an update ignores the field, or another request changes it.
    static func isReadOnly(_ name: String) -> Bool { isOwn(name) || name.hasPrefix("phoneNumber") }

    /// Whether the field cannot be removed by any request.
    static func isPermanent(_ name: String) -> Bool {
        ["email", "displayName", "country", "locale"].contains(name) || isReadOnly(name)
    }

    /// Whether a member is a property of `User`, or belongs to the server.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "userID", "loginName", "emailAddress", "emailAddressVerified", "internalUserID": true
        default: name.hasPrefix("_")
        }
    }
}
