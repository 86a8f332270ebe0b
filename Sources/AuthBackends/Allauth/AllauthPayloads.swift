import AuthModel
import JSON
import Platform
import Transport

/// The envelope of every JSON response: `{"status", "data", "meta", "errors"}`, of which only `status` is always there.
struct AllauthAnswer {
    let status: Int
    let body: JSONValue
    /// The session that replaces the one of the request, or begins here. Any response may bring one.
    let session: Session?

    /// A step of an unfinished login, by `id`.
    enum Flow: String {
        case verifyEmail = "verify_email"
        case secondFactor = "mfa_authenticate"
        case providerSignUp = "provider_signup"
        case logInByCode = "login_by_code"
        case resetByCode = "password_reset_by_code"
        /// A step that is not known here.
        case other
    }

    /// `nil` if the body is no such envelope.
    ///
    /// - Parameter now: the time of the response.
    init?(_ response: HTTPResponse, at now: Instant) {
        guard let body = response.json, Self.isEnvelope(body, status: response.status) else { return nil }
        status = response.status
        self.body = body
        session = Self.session(body["meta"]?.object ?? [:], at: now)
    }

    var data: JSONValue { body["data"] ?? .null }
    /// Whether the user is logged in, as the server sees it.
    var isAuthenticated: Bool { Self.isAuthenticated(body) }
    /// The steps before the user is logged in.
    var pending: [Flow] { Self.pending(body) }

    static func isEnvelope(_ body: JSONValue?, status: Int) -> Bool {
        guard let body, body["status"]?.integer != nil else { return false }
        // A response that says that there is no session always has this member; a gateway's JSON does not.
        return ![401, 410].contains(status) || body["meta"]?["is_authenticated"] != nil
    }

    static func isAuthenticated(_ body: JSONValue) -> Bool { body["meta"]?["is_authenticated"]?.bool ?? false }

    static func pending(_ body: JSONValue) -> [Flow] {
        (body["data"]?["flows"]?.array ?? []).filter { $0["is_pending"]?.bool ?? false }
            .map { $0["id"]?.string.flatMap(Flow.init) ?? .other }
    }

    /// The JWT, if a site gives one beside the plain token: the site's other views take it. A JWT that cannot be refreshed
    /// expires soon, or is for other views only.
    private static func session(_ meta: JSONObject, at now: Instant) -> Session? {
        let plain = Secret(token: meta["session_token"]).map { Session(token: $0, createdAt: now) }
        guard let token = Secret(token: meta["access_token"]) else { return plain }
        let session = Session(given: token, refreshToken: meta["refresh_token"], at: now)
        return session.refreshToken == nil ? plain ?? session : session
    }
}

/// The shapes below `data`, and what they are in our words.
enum AllauthPayloads {
    /// `{"user": {"id", "display", "username"?, "email"?, "has_usable_password", …}, "methods": […]}`.
    static func user(_ data: JSONValue) -> User? {
        guard let object = data["user"]?.object else { return nil }
        let user = User(
            id: object["id"]?.identifier, username: object["username"]?.filledText, email: object["email"]?.filledText,
            fields: JSONObject(object.members.filter { !isOwn($0.name) }))
        return user.displayName == nil ? nil : user
    }

    /// `[{"id", "user_agent", "ip", "created_at", "last_seen_at", "is_current"}]`, times in seconds with a fraction.
    static func sessions(_ data: JSONValue) -> [SessionSummary] {
        (data.array ?? []).compactMap { row in
            guard let number = row["id"]?.integer else { return nil }
            return SessionSummary(
                id: String(number), isCurrent: row["is_current"]?.bool ?? false,
                createdAt: Instant(unixTime: row["created_at"]), lastSeenAt: Instant(unixTime: row["last_seen_at"]),
                device: row["user_agent"]?.filledText, address: row["ip"]?.filledText)
        }
    }

    /// `[{"uid", "provider": {"id"}, "display"}]`: the ids at Facebook of those that are Facebook's.
    static func facebookIDs(_ data: JSONValue) -> [String] {
        (data.array ?? []).compactMap { row in
            row["provider"]?["id"] == "facebook" ? row["uid"]?.identifier : nil
        }
    }

    /// Whether the user can log in without Facebook: with a password, or with another service's identity.
    static func hasOtherWayIn(_ user: User, _ providers: JSONValue) -> Bool? {
        if (providers.array ?? []).contains(where: { $0["provider"]?["id"].map { $0 != "facebook" } ?? false }) {
            return true
        }
        return user.fields["has_usable_password"]?.bool
    }

    /// `[{"email", "verified", "primary"}]`: whether the address is confirmed; `nil` if it is none of the account.
    static func isVerified(_ email: String, _ data: JSONValue) -> Bool? {
        let row = (data.array ?? []).first { $0["email"]?.string?.lowercased() == email.lowercased() }
        return row?["verified"]?.bool
    }

    /// `{"account": {"password_reset_by_code_enabled"}}`, of the configuration.
    static func resetsPasswordsByCode(_ data: JSONValue) -> Bool {
        data["account"]?["password_reset_by_code_enabled"]?.bool ?? false
    }

    /// Whether a member has a place of its own in `User`, tells nothing new, or must not be seen: sites can add to it.
    private static func isOwn(_ name: String) -> Bool {
        switch name {
        case "id", "username", "email", "display": true
        default: isSecretMember(name)
        }
    }
}

extension SiteTraits {
    /// What a site says of itself.
    ///
    /// `{"account": {"login_methods": […], "is_open_for_signup"}, "socialaccount": {"providers": [{"id", "client_id"}]}}`.
    init(_ data: JSONValue) {
        let told = data["account"]?["login_methods"]?.array?.compactMap(\.string) ?? []
        // Of one that does not say, anything is thought.
        let methods = told.isEmpty ? ["username", "email"] : told
        let providers = data["socialaccount"]?["providers"]?.array ?? []
        self.init(
            takesUsername: methods.contains("username"), takesEmail: methods.contains("email"),
            isOpenForSignUp: data["account"]?["is_open_for_signup"]?.bool ?? true,
            facebookAppID: providers.first { $0["id"] == "facebook" }?["client_id"]?.string)
    }
}

extension Instant {
    /// Seconds since 1970 with a fraction, as servers in Python count time.
    fileprivate init?(unixTime value: JSONValue?) {
        switch value {
        case .integer(let seconds): self.init(seconds: seconds)
        case .number(let seconds):
            guard let milliseconds = Int64(exactly: (seconds * 1000).rounded(.down)) else { return nil }
            self.init(milliseconds: milliseconds)
        default: return nil
        }
    }
}
