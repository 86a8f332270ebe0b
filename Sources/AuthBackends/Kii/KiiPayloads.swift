import AuthModel
import JSON
import Platform

enum KiiPayloads {
    /// Reads a response from `users/me`. If `_thirdPartyAccounts` is missing, no identity is linked.
    static func me(_ object: JSONObject) -> User {
        var user = user(object)
        user.identities = user.identities ?? []
        return user
    }

    /// Reads `userID`, `loginName`?, `emailAddress`?, `emailAddressVerified`? and `_thirdPartyAccounts`?. Other members
    /// become `fields`, unless they are reserved for the server (see `isOwn`).
    static func user(_ object: JSONObject) -> User {
        var user = User(
            id: object["userID"]?.identifier, username: object["loginName"]?.filledText,
            email: object["emailAddress"]?.filledText, emailVerified: object["emailAddressVerified"]?.bool,
            identities: identities(object), fields: JSONObject(object.members.filter { !isOwn($0.name) })
        ).reading(email: object["emailAddress"])
        user.phone = object["phoneNumber"]?.filledText
        return user
    }

    /// The user that a signup created. The response may contain only the id, so the rest is taken from the request.
    static func user(_ object: JSONObject, from account: NewAccount) -> User {
        var user = user(object)
        user.username = user.username ?? account.username
        user.email = user.email ?? account.email
        user.phone = user.phone ?? account.phone
        return user
    }

    /// Reads the session of a login: `access_token`, `expires_in` in seconds, `refresh_token`?.
    static func session(_ object: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        guard let token = Secret(token: object["access_token"], masker) else { return nil }
        return Session(
            token: token, refreshToken: Secret(token: object["refresh_token"], masker), createdAt: now,
            expiresAt: end(object["expires_in"], from: now))
    }

    /// Reads the session that a signup may return: `_accessToken`, `_refreshToken`?. Kii does not report its expiry.
    static func firstSession(_ object: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        guard let token = Secret(token: object["_accessToken"], masker) else { return nil }
        return Session(token: token, refreshToken: Secret(token: object["_refreshToken"], masker), createdAt: now)
    }

    /// Reads `_thirdPartyAccounts`: `{"facebook": {"id", "type", "createdAt"}}`.
    private static func identities(_ object: JSONObject) -> [Identity]? {
        object["_thirdPartyAccounts"]?.object?.members.filter { $0.value != .null }.map { member in
            let provider = KiiProvider.all.first { $0.member == member.name }
            return Identity(provider: provider?.provider.name ?? member.name, id: member.value["id"]?.identifier)
        }
    }

    /// Returns `nil` instead of true, because Kii's examples show `true` even for an account created with Facebook.
    static func hasPassword(_ object: JSONObject) -> Bool? { object["_hasPassword"]?.bool == false ? false : nil }

    /// Adds a lifetime in seconds to a time; `nil` if the lifetime is not an integer or the sum overflows.
    private static func end(_ lifetime: JSONValue?, from now: Instant) -> Instant? {
        guard let (sum, overflow) = lifetime?.integer.map(now.seconds.addingReportingOverflow), !overflow else {
            return nil
        }
        return Instant(seconds: sum)
    }

    /// The fields that an update must repeat, because the server otherwise removes them. Other fields stay unchanged.
    static func applicationFields(_ object: JSONObject) -> JSONObject {
        JSONObject(object.members.filter { !isReadOnly($0.name) && !isPermanent($0.name) })
    }

    /// Whether an update cannot change the field: Kii ignores it, or requires a different request.
    static func isReadOnly(_ name: String) -> Bool { isOwn(name) || name.hasPrefix("phoneNumber") }

    /// Whether no request can remove the field.
    static func isPermanent(_ name: String) -> Bool {
        ["email", "displayName", "country", "locale"].contains(name) || isReadOnly(name)
    }

    /// Whether a member is a property of `User`, or reserved for the server.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "userID", "loginName", "emailAddress", "emailAddressVerified", "internalUserID": true
        default: name.hasPrefix("_")
        }
    }
}
