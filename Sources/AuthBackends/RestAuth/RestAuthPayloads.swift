import AuthModel
import JSON
import Platform

/// Reads the responses from rest-auth and dj-rest-auth.
enum RestAuthPayloads {
    /// The result of a registration or login, as determined by the members of the response. The status is ignored.
    enum Grant {
        /// `{"key"}`, or `{"access", "refresh"?, "user"?}`, possibly under other names; see `Tokens`.
        case session(Session, User?)
        /// `{"ephemeral_token", "mfa_required": true}`: the second factor is required.
        case secondFactor(Secret)
        /// Only `{"detail"}`. After a registration, it means that the e-mail address must be verified.
        case notice
        /// No token that authctl recognizes. Without unknown members, the session may be in a cookie.
        case nothing(User?, members: [String])
    }

    /// The tokens in a response. Sites rename their members, or wrap the whole response.
    ///
    /// Source: dj-rest-auth 2.2.8 (`access_token`), django-rest-auth 0.9.5 with `REST_USE_JWT` and django-rest-knox
    /// (`token`), djoser (`auth_token`).
    struct Tokens {
        /// The object with the tokens: the response itself, or the value of one of its members.
        let holder: JSONObject
        /// The access token or the key; may be invalid.
        let token: JSONValue
        /// Missing or empty if the body has no refresh token.
        let refreshToken: JSONValue?

        static let names = ["key", "access", "access_token", "accessToken", "token", "auth_token", "authToken"]
        static let refreshNames = ["refresh", "refresh_token", "refreshToken"]
        private static let wrappers = ["data", "tokens", "token", "result"]

        init?(_ object: JSONObject) {
            let holders = [object] + Self.wrappers.compactMap { object[$0]?.object }
            let found = holders.compactMap { holder -> (JSONObject, JSONValue)? in
                Self.token(in: holder).map { (holder, $0) }
            }
            guard let (holder, token) = found.first(where: { $0.1.isToken }) ?? found.first else { return nil }
            (self.holder, self.token) = (holder, token)
            let named = Self.refreshNames.flatMap { [holder[$0], object[$0]] }.compactMap { $0 }
            refreshToken =
                named.first { $0.filledText != nil } ?? holder.members.map(\.value).first(where: \.isRefreshToken)
        }

        /// Even an unknown name does not hide a JWT, unless it is a refresh token.
        private static func token(in holder: JSONObject) -> JSONValue? {
            let named = names.compactMap { holder[$0] }
            let isJWT = { (value: JSONValue) in value.jwtPayload != nil && !value.isRefreshToken }
            return named.first(where: \.isToken) ?? holder.members.map(\.value).first(where: isJWT) ?? named.first
        }
    }

    /// - Parameter now: the time of the response.
    static func grant(_ object: JSONObject, at now: Instant, _ masker: Masker) throws(BackendError) -> Grant {
        if (object["mfa_required"] ?? object["mfaRequired"])?.bool == true {
            guard let token = Secret(token: object["ephemeral_token"] ?? object["ephemeralToken"], masker) else {
                throw BackendError(
                    .invalidResponse, "the server requires a second factor, but the response has no token for it")
            }
            return .secondFactor(token)
        }
        if let tokens = Tokens(object) {
            guard let token = Secret(token: tokens.token, masker) else { throw .holdsNoUsableSession }
            var session = Session(given: token, refreshToken: tokens.refreshToken, at: now, masker)
            // Source: django-rest-knox, `LoginView`.
            session.expiresAt = session.expiresAt ?? tokens.holder["expiry"]?.string.flatMap { Instant($0) }
            return .session(session, namedUser(tokens.holder["user"]) ?? namedUser(object["user"]))
        }
        if object.names == ["detail"] { return .notice }
        let isUsual = object.names.allSatisfy { usualNames.contains($0) }
        return .nothing(
            namedUser(object["user"]) ?? namedUser(.object(object)),
            members: isUsual ? [] : object.names.prefix(10).map { FieldFault.name($0, masker) })
    }

    /// Members of responses without a token, as the packages send them.
    private static let usualNames = ["detail", "user", "pk", "id", "username", "email", "first_name", "last_name"]

    /// Reads a user: `pk` or `id`, `username`, `email`, `first_name`, `last_name`, then the site's own fields. Some sites
    /// nest the user: `{"user": {"pk", …}, "roles": […]}`.
    static func user(_ object: JSONObject) -> User {
        let user = User(
            id: object["pk"]?.identifier ?? object["id"]?.identifier,
            username: object["username"]?.filledText, email: object["email"]?.filledText,
            fields: JSONObject(object.members.filter { !isOwn($0.name) })
        ).reading(email: object["email"])
        guard user.displayName == nil, let nested = namedUser(object["user"]) else { return user }
        return user.keepingNames(of: nested)
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
        (["pk", "id", "username", "email"] + Tokens.names + Tokens.refreshNames).contains(name)
    }
}

extension JSONValue {
    fileprivate var jwtPayload: JSONObject? { string.flatMap { JWT.payload(of: Secret($0)) } }
    fileprivate var isRefreshToken: Bool { jwtPayload?["token_type"] == "refresh" }
}
