import AuthModel
import JSON
import Platform

/// The shapes of Kii's answers, and what they are in our words.
enum KiiPayloads {
    /// `userID`, `loginName`?, `emailAddress`?, `emailAddressVerified`?, `displayName`?, `phoneNumber`?, then what the
    /// application adds. Members that begin with `_` are the server's own.
    static func user(_ object: JSONObject) -> User {
        User(
            id: object["userID"]?.identifier, username: object["loginName"]?.filledText,
            email: object["emailAddress"]?.filledText, emailVerified: object["emailAddressVerified"]?.bool,
            providers: providers(object), fields: JSONObject(object.members.filter { !isOwn($0.name) }))
    }

    /// The user of a sign-up, whose answer may repeat nothing but the id.
    static func user(_ object: JSONObject, from account: NewAccount) -> User {
        var user = user(object)
        user.username = user.username ?? account.username
        user.email = user.email ?? account.email
        for field in account.shownFields.members where user.fields[field.name] == nil {
            user.fields[field.name] = field.value
        }
        if let phone = account.phone, user.fields["phoneNumber"] == nil { user.fields["phoneNumber"] = .string(phone) }
        return user
    }

    /// The token of a log-in: `access_token`, `expires_in` in seconds, `refresh_token`?.
    static func session(_ object: JSONObject, at now: Instant) -> Session? {
        guard let token = Secret(token: object["access_token"]) else { return nil }
        return Session(
            token: token, refreshToken: Secret(token: object["refresh_token"]), createdAt: now,
            expiresAt: end(object["expires_in"], from: now))
    }

    /// The token that a sign-up may bring: `_accessToken`, `_refreshToken`?. It does not say when it ends.
    static func firstSession(_ object: JSONObject, at now: Instant) -> Session? {
        guard let token = Secret(token: object["_accessToken"]) else { return nil }
        return Session(token: token, refreshToken: Secret(token: object["_refreshToken"]), createdAt: now)
    }

    /// `_thirdPartyAccounts`: `{"facebook": {"id", "type", "createdAt"}}`.
    static func facebookLink(_ object: JSONObject) -> FacebookLink {
        guard let account = object["_thirdPartyAccounts"]?["facebook"], account != .null else { return .none }
        return .linked(id: account["id"]?.identifier)
    }

    /// `false` can be believed; an account that a log-in with Facebook made was seen to say `true`.
    static func hasOtherWayIn(_ object: JSONObject) -> Bool? {
        if providers(object).contains(where: { $0 != "facebook" }) { return true }
        return object["_hasPassword"]?.bool == false ? false : nil
    }

    private static func providers(_ object: JSONObject) -> [String] {
        let linked = object["_thirdPartyAccounts"]?.object?.members.filter { $0.value != .null } ?? []
        return linked.map(\.name)
    }

    /// Seconds of any size, some beyond what can be counted: then the last moment that can be.
    private static func end(_ lifetime: JSONValue?, from now: Instant) -> Instant? {
        switch lifetime {
        case .integer(let seconds):
            let (sum, overflow) = now.seconds.addingReportingOverflow(seconds)
            return Instant(seconds: overflow ? (seconds < 0 ? .min : .max) : sum)
        case .number(let seconds):
            guard let whole = Int64(exactly: seconds.rounded(.down)) else {
                return Instant(seconds: seconds < 0 ? .min : .max)
            }
            return end(.integer(whole), from: now)
        default: return nil
        }
    }

    /// Whether a member has a place of its own in `User`, or is none of the user's.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "userID", "loginName", "emailAddress", "emailAddressVerified", "internalUserID": true
        default: isSecretMember(name)
        }
    }
}
