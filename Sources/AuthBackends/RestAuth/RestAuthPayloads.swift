import AuthModel
import JSON
import Platform

/// The shapes of the answers, and what they are in our words.
enum RestAuthPayloads {
    /// What an answer to a registration or a log-in gives. Decided by the members that are there, never by the status.
    enum Grant {
        /// `{"key"}`, or `{"access", "refresh", "user"}`.
        case session(Session, User?)
        /// `{"ephemeral_token", "mfa_required": true}`: a code of the second factor is wanted.
        case secondFactor(Secret)
        /// `{"detail"}` alone. Of a registration: the address must be confirmed.
        case notice
        /// A user, or nothing: the session is in a cookie, if there is one.
        case nothing(User?)
    }

    /// - Parameter now: when the answer came.
    static func grant(_ object: JSONObject, at now: Instant) throws(AuthError) -> Grant {
        if let key = object["key"] ?? object["access"] {
            guard let token = Secret(token: key) else {
                throw .holdsNoUsableSession
            }
            let session = Session(given: token, refreshToken: object["refresh"], at: now)
            return .session(session, namedUser(object["user"]))
        }
        if object["mfa_required"]?.bool == true {
            guard let token = Secret(token: object["ephemeral_token"]) else {
                throw AuthError(
                    .brokenAnswer, "the server requires a second factor, but the response has no token for it")
            }
            return .secondFactor(token)
        }
        if object.names == ["detail"] { return .notice }
        return .nothing(namedUser(object["user"]) ?? namedUser(.object(object)))
    }

    /// A user: `pk`, `username`, `email`, `first_name`, `last_name`, then what the site adds.
    static func user(_ object: JSONObject) -> User {
        User(
            id: object["pk"]?.identifier ?? object["id"]?.identifier,
            username: object["username"]?.filledText, email: object["email"]?.filledText,
            fields: JSONObject(object.members.filter { !isOwn($0.name) }))
    }

    /// The same, if the value names anybody.
    static func namedUser(_ value: JSONValue?) -> User? {
        guard let user = value?.object.map(user), user.displayName != nil else { return nil }
        return user
    }

    /// The identities of an account: `[{"id", "provider", "uid", …}]`, in a page under `results` where a site has pages.
    static func facebookAccounts(_ value: JSONValue) -> [SocialAccount] {
        rows(value).compactMap { row -> SocialAccount? in
            guard row["provider"]?.string == "facebook", let id = row["id"]?.identifier else { return nil }
            return SocialAccount(id: id, uid: row["uid"]?.identifier)
        }
    }

    /// Whether another service's identity lets the user in, too; `nil`: whether they have a password is not told.
    static func hasOtherWayIn(_ value: JSONValue) -> Bool? {
        rows(value).contains { $0["provider"].map { $0 != "facebook" } ?? false } ? true : nil
    }

    private static func rows(_ value: JSONValue) -> [JSONValue] { value.array ?? value["results"]?.array ?? [] }

    /// An identity of another service.
    struct SocialAccount: Equatable {
        /// The server's number of it.
        let id: String
        /// The service's id of the user.
        let uid: String?
    }

    /// Whether a member has a place of its own in `User`, or must not be seen.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "pk", "id", "username", "email": true
        default: isSecretMember(name)
        }
    }
}
