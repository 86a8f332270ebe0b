import AuthModel
import JSON
import Platform

/// Reads the member `data` of allauth's responses.
enum AllauthPayloads {
    /// Reads `{"user": {"id", "display", "username"?, "email"?, "has_usable_password", …}, "methods": […]}`.
    ///
    /// `email` is missing only if the account has no e-mail, unless the site serializes users itself. Source: django-allauth, `serialize_user` in
    /// `headless/adapter.py`.
    static func user(_ data: JSONValue) -> User? {
        guard let object = data["user"]?.object else { return nil }
        var user = User(
            id: object["id"]?.identifier, username: object["username"]?.filledText, email: object["email"]?.filledText,
            fields: JSONObject(object.members.filter { !isOwn($0.name) }))
        user.lacksEmail = user.email == nil && user.displayName != nil
        // Only a login by its code shows the phone number. Source: allauth 65.21, `account/internal/flows/login_by_code.py`.
        user.phone = data["methods"]?.array?.last { $0["method"] == "code" }?["phone"]?.filledText
        return object.isEmpty ? nil : user
    }

    /// Reads `[{"id", "user_agent", "ip", "created_at", "last_seen_at", "is_current"}]`. The times are Unix times.
    static func sessions(_ data: JSONValue) -> [SessionSummary] {
        (data.array ?? []).compactMap { row in
            guard let number = row["id"]?.integer else { return nil }
            return SessionSummary(
                id: String(number), isCurrent: row["is_current"]?.bool ?? false,
                createdAt: Instant(unixTime: row["created_at"]), lastSeenAt: Instant(unixTime: row["last_seen_at"]),
                device: row["user_agent"]?.filledText, address: row["ip"]?.filledText)
        }
    }

    /// Reads `[{"uid", "provider": {"id"}, "display"}]`.
    static func identities(_ data: JSONValue) -> [Identity] {
        (data.array ?? []).compactMap { row in
            row["provider"]?["id"]?.string.map { Identity(provider: $0, id: row["uid"]?.identifier) }
        }
    }

    /// - Parameter data: the member `data` of a response that contains the user.
    static func hasPassword(_ data: JSONValue) -> Bool? { data["user"]?["has_usable_password"]?.bool }

    /// Reads `[{"email", "verified", "primary"}]`. Returns whether the address is verified; `nil` if the list does not
    /// contain the address.
    static func isVerified(_ email: String, _ data: JSONValue) -> Bool? {
        let row = (data.array ?? []).first { $0["email"]?.string?.lowercased() == email.lowercased() }
        return row?["verified"]?.bool
    }

    /// Reads the verified addresses that are not the primary one from the list that `isVerified` reads.
    static func otherVerifiedEmails(_ data: JSONValue) -> [String] {
        (data.array ?? []).filter { $0["verified"]?.bool == true && $0["primary"]?.bool == false }
            .compactMap { $0["email"]?.filledText }
    }

    /// Whether a member is a property of `User`, or repeats the value of one.
    private static func isOwn(_ name: String) -> Bool {
        ["id", "username", "email", "display"].contains(name)
    }
}

extension SiteTraits {
    /// Reads the site's configuration.
    ///
    /// `{"account": {"login_methods": […], "is_open_for_signup"}, "socialaccount": {"providers": [{"id",
    /// "client_id"?, "flows": ["provider_token"]}]}}`.
    init(_ data: JSONValue) {
        let told = data["account"]?["login_methods"]?.array?.compactMap(\.string) ?? []
        // A site that does not publish its login methods may accept usernames and e-mail addresses.
        let methods = told.isEmpty ? ["username", "email"] : told
        let providers = data["socialaccount"]?["providers"]?.array ?? []
        self.init(
            takesUsername: methods.contains("username"), takesEmail: methods.contains("email"),
            takesPhone: methods.contains("phone"),
            isOpenForSignUp: data["account"]?["is_open_for_signup"]?.bool ?? true,
            providers: providers.compactMap { row in
                guard let name = row["id"]?.string else { return nil }
                return SiteProvider(
                    name: name, clientID: row["client_id"]?.string,
                    takesTokens: row["flows"]?.array?.contains("provider_token") ?? true)
            })
    }
}

extension Instant {
    /// Reads seconds since 1970 with a fraction, as returned by Python's `time.time()`.
    fileprivate init?(unixTime value: JSONValue?) {
        switch value {
        case .integer(let seconds): self.init(seconds: seconds)
        case .number(let seconds):
            guard let milliseconds = Int64(exactly: (seconds.value * 1000).rounded(.down)) else { return nil }
            self.init(milliseconds: milliseconds)
        default: return nil
        }
    }
}
