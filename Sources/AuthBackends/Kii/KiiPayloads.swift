import AuthModel
import JSON
import Platform

enum KiiPayloads {
    /// The response of `users/me`. Without `_thirdPartyAccounts` no identity is linked.
    static func me(_ object: JSONObject) -> User {
        var user = user(object)
        user.providers = user.providers ?? []
        return user
    }

    /// `userID`, `loginName`?, `emailAddress`?, `emailAddressVerified`?, `displayName`?, `phoneNumber`?, then the
    /// application's own fields. Members that begin with `_` belong to the server.
    static func user(_ object: JSONObject) -> User {
        User(
            id: object["userID"]?.identifier, username: object["loginName"]?.filledText,
            email: object["emailAddress"]?.filledText, emailVerified: object["emailAddressVerified"]?.bool,
            providers: providers(object), fields: JSONObject(object.members.filter { !isOwn($0.name) })
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
    static func facebookLink(_ object: JSONObject) -> FacebookLink {
        guard let account = object["_thirdPartyAccounts"]?["facebook"], account != .null else { return .none }
        return .linked(id: account["id"]?.identifier)
    }

    /// Only `false` is reliable: an account created by a Facebook login was seen with `true`.
    static func hasOtherLoginMethod(_ object: JSONObject) -> Bool? {
        if (providers(object) ?? []).contains(where: { $0 != "facebook" }) { return true }
        return object["_hasPassword"]?.bool == false ? false : nil
    }

    private static func providers(_ object: JSONObject) -> [String]? {
        object["_thirdPartyAccounts"]?.object?.members.filter { $0.value != .null }.map(\.name)
    }

    /// Adds seconds to a time; `nil` for a sum that is not a time.
    private static func end(_ lifetime: JSONValue?, from now: Instant) -> Instant? {
        guard let (sum, overflow) = lifetime?.integer.map(now.seconds.addingReportingOverflow), !overflow else {
            return nil
        }
        return Instant(seconds: sum)
    }

    /// Whether a member is a property of `User`, or belongs to the server.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "userID", "loginName", "emailAddress", "emailAddressVerified", "internalUserID": true
        default: name.hasPrefix("_")
        }
    }
}
