import AuthModel
import JSON
import Platform

/// Reads the responses from rest-auth and dj-rest-auth.
enum RestAuthPayloads {
    /// The result of a registration or login, as determined by the members of the response. The status is ignored.
    enum Grant {
        /// `{"key"}`, or `{"access", "refresh"?, "user"?}`.
        case session(Session, User?)
        /// `{"ephemeral_token", "mfa_required": true}`: the second factor is required.
        case secondFactor(Secret)
        /// Only `{"detail"}`. After a registration, it means that the e-mail address must be verified.
        case notice
        /// A user or nothing, without a token. The session may be in a cookie.
        case nothing(User?)
    }

    /// - Parameter now: the time of the response.
    static func grant(_ object: JSONObject, at now: Instant, _ masker: Masker) throws(BackendError) -> Grant {
        if let key = object["key"] ?? object["access"] {
            guard let token = Secret(token: key, masker) else {
                throw .holdsNoUsableSession
            }
            let session = Session(given: token, refreshToken: object["refresh"], at: now, masker)
            return .session(session, namedUser(object["user"]))
        }
        if object["mfa_required"]?.bool == true {
            guard let token = Secret(token: object["ephemeral_token"], masker) else {
                throw BackendError(
                    .invalidResponse, "the server requires a second factor, but the response has no token for it")
            }
            return .secondFactor(token)
        }
        if object.names == ["detail"] { return .notice }
        return .nothing(namedUser(object["user"]) ?? namedUser(.object(object)))
    }

    /// Reads a user: `pk` or `id`, `username`, `email`, `first_name`, `last_name`, then the site's own fields.
    static func user(_ object: JSONObject) -> User {
        User(
            id: object["pk"]?.identifier ?? object["id"]?.identifier,
            username: object["username"]?.filledText, email: object["email"]?.filledText,
            fields: JSONObject(object.members.filter { !isOwn($0.name) })
        ).reading(email: object["email"])
    }

    /// Reads a user; `nil` if the value contains no username, e-mail, phone number or id.
    static func namedUser(_ value: JSONValue?) -> User? {
        guard let user = value?.object.map(user), user.displayName != nil else { return nil }
        return user
    }

    /// Reads identities: `[{"id", "provider", "uid", …}]`, in the member `results` if the site uses pagination.
    static func socialAccounts(_ value: JSONValue) -> [SocialAccount] {
        rows(value).compactMap { row -> SocialAccount? in
            guard let provider = row["provider"]?.string, let id = row["id"]?.identifier else { return nil }
            return SocialAccount(id: id, identity: Identity(provider: provider, id: row["uid"]?.identifier))
        }
    }

    private static func rows(_ value: JSONValue) -> [JSONValue] { value.array ?? value["results"]?.array ?? [] }

    /// A linked identity.
    struct SocialAccount: Equatable {
        /// The site's id for the link between account and identity.
        let id: String
        let identity: Identity
    }

    /// Whether a member is a property of `User` or a token.
    private static func isOwn(_ name: String) -> Bool {
        ["pk", "id", "username", "email", "key", "access", "refresh"].contains(name)
    }
}
