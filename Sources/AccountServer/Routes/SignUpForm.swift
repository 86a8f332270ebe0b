import JSON

/// The body of a signup, checked in Parse's order.
struct SignUpForm {
    /// Not empty. `nil`: one is made up, for users whom a provider knows.
    let username: String?
    /// Not empty. `nil`: no login with a password.
    let password: String?
    let email: String?
    let authData: AuthData
    let changes: FieldChanges

    init(_ body: JSONObject, takesFacebook: Bool) throws(RouteError) {
        for name in ["objectId", "id"] {
            if let value = body[name], !value.isFalsy { throw .refused(.fieldNotAllowed(name)) }
        }
        let claims = body["authData"] ?? .null
        let hasClaims = !claims.isFalsy && claims.object?.isEmpty != true
        username = try Self.text(body["username"], isRequired: !hasClaims, .badUsername)
        password = try Self.text(body["password"], isRequired: !hasClaims, .badPassword)
        authData = hasClaims ? try AuthData(claims, takesFacebook: takesFacebook) : .nothing
        let isKnownBySomething = username != nil && password != nil || !authData.identities.isEmpty
        guard isKnownBySomething else { throw .refused(.providerUnsupported) }
        if body["emailVerified"] != nil { throw .refused(.emailVerifiedByClient) }
        email = try SharedUserFields.email(body["email"] ?? .null)
        changes = try SharedUserFields.others(body)
        // Parse Server on PostgreSQL answers 500 here.
        if username?.utf8.contains(0) == true { throw .refused(.badUsername) }
    }

    private static func text(
        _ value: JSONValue?, isRequired: Bool, _ refusal: ParseError
    ) throws(RouteError) -> String? {
        if !isRequired, value == nil || value == .null { return nil }
        guard let text = value?.string, !text.isEmpty else { throw .refused(refusal) }
        return text
    }
}

/// What signing up and changing a user have in common.
enum SharedUserFields {
    /// What the server itself fills in, and what has a meaning here. The client's values of the former are dropped
    /// without a word, as Parse does.
    private static let reserved: Set<String> = [
        "sessionToken", "createdAt", "updatedAt", "objectId", "id", "username", "password", "email", "emailVerified",
        "authData",
    ]

    /// Everything else, of whatever type. Parse gives each field the type of its first value and refuses others later;
    /// here a field has no type, since nobody could correct the first one.
    static func others(_ body: JSONObject) throws(RouteError) -> FieldChanges {
        if let list = body["ACL"], list != .null, list.object == nil {
            throw .refused(.typeMismatch("_User.ACL", expected: "ACL", got: list.parseType))
        }
        return try FieldChanges(body, except: reserved)
    }

    /// Empty and null mean none. Parse asks for no more of an address than a sign on both sides of an `@`, in one line.
    ///
    /// It does so after it has looked for the name: a taken name with a bad address is 202 there and 125 here, where
    /// the name is looked for after hashing.
    static func email(_ value: JSONValue) throws(RouteError) -> String? {
        if value == .null { return nil }
        guard let email = value.string else {
            throw .refused(.typeMismatch("_User.email", expected: "String", got: value.parseType))
        }
        if email.isEmpty { return nil }
        let inner = email.unicodeScalars.dropFirst().dropLast()
        let hasBreak = email.unicodeScalars.contains { ["\0", "\n", "\r", "\u{2028}", "\u{2029}"].contains($0) }
        guard inner.contains("@"), !hasBreak else { throw .refused(.emailInvalid) }
        return email
    }
}
