import AuthModel
import JSON
import Platform

/// The shapes of Parse's answers, and what they are in our words.
enum ParsePayloads {
    /// A user, as `/login` and `/users/me` give one: `objectId`, `createdAt`, `username`, `email`?, `emailVerified`?,
    /// `authData`?, then the fields of the application.
    ///
    /// `authData` holds tokens of other services and even secrets of a second factor: only the names in it are kept.
    static func user(_ object: JSONObject) -> User {
        User(
            id: object["objectId"]?.string,
            username: object["username"]?.string,
            email: object["email"]?.string,
            emailVerified: object["emailVerified"]?.bool,
            createdAt: object["createdAt"]?.string.flatMap { Instant($0) },
            providers: providers(object["authData"]),
            fields: JSONObject(object.members.filter { !isOwn($0.name) }))
    }

    /// The user of a signup, whose answer repeats only what the server made.
    static func user(_ object: JSONObject, from account: NewAccount) -> User {
        var user = user(object)
        user.username = account.username
        user.email = account.email
        user.fields = account.shownFields
        return user
    }

    /// The same of an account made for an outside identity.
    static func user(_ object: JSONObject, of provider: String) -> User {
        var user = user(object)
        user.providers = [provider]
        return user
    }

    /// `authData`: `{"facebook":{"id","access_token",…}}`, of which only the id is read.
    static func facebookLink(_ object: JSONObject) -> FacebookLink {
        guard let identity = object["authData"]?["facebook"], identity != .null else { return .none }
        return .linked(id: identity["id"]?.string ?? identity["id"]?.integer.map { String($0) })
    }

    /// Whether another service's identity lets the user in, too; `nil`: whether they have a password is not told.
    static func hasOtherWayIn(_ object: JSONObject) -> Bool? {
        // Who loses the session of an anonymous account cannot come back to it.
        providers(object["authData"]).contains { !["facebook", "anonymous", "mfa"].contains($0) } ? true : nil
    }

    /// The token of a new session.
    static func token(_ object: JSONObject) -> Secret? { Secret(token: object["sessionToken"]) }

    /// A row of `/sessions`: `objectId`, `createdAt`, `expiresAt`?, `createdWith`: `{"action","authProvider"?}`,
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

    /// `{"__type":"Date","iso":"…"}`.
    static func date(_ value: JSONValue?) -> Instant? {
        value?["iso"]?.string.flatMap { Instant($0) }
    }

    /// What the response to a request must hold. All recorded ones do.
    enum Required {
        /// `objectId`, and `sessionToken` unless the user must do something first.
        case account
        /// `sessionToken`.
        case session
        /// A user, a row of a session, or a list: `objectId` or `results`.
        case object
        case nothing

        init(_ operation: Operation) {
            switch operation {
            case .signUp, .logInAnonymously, .logInWithFacebook: self = .account
            case .logIn, .secondFactor: self = .session
            case .currentUser, .logInWithToken, .listSessions: self = .object
            default: self = .nothing
            }
        }

        /// `nil`: the object is as required.
        func fault(of object: JSONObject) -> String? {
            switch self {
            case .account where object["objectId"]?.string == nil: "the response names no account"
            case .session where ParsePayloads.token(object) == nil: "the response has no session"
            case .object where object["objectId"]?.string == nil && object["results"]?.array == nil:
                "the response lacks the requested data"
            case .object: nil
            case .account, .session, .nothing: tokenFault(object)
            }
        }

        /// An unusable new session is worse than none: the caller would go on with a dead one.
        private func tokenFault(_ object: JSONObject) -> String? {
            let token = object["sessionToken"] ?? .null
            return token == .null || ParsePayloads.token(object) != nil
                ? nil : "the response has no valid session"
        }
    }

    private static func providers(_ authData: JSONValue?) -> [String] {
        let linked = authData?.object?.members.filter { $0.value != .null } ?? []
        return linked.map(\.name)
    }

    /// Whether a member has a place of its own in `User`, belongs to the envelope, or must not be seen.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "objectId", "createdAt", "username", "email", "emailVerified": true
        case "__type", "className": true
        case "authData", "authDataResponse", "sessionToken", "password": true
        default: name.hasPrefix("_")
        }
    }
}
