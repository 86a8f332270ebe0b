import JSON

/// The body of a signup, checked in Parse's order.
struct SignUpForm {
    /// Never empty. `nil`: generated, for users with a provider's identity.
    let username: String?
    /// Never empty. `nil`: the user cannot log in with a password.
    let password: String?
    let email: String?
    let authData: AuthData
    let changes: FieldChanges

    init(_ body: JSONObject, from providers: AcceptedProviders) throws(RouteError) {
        for name in ["objectId", "id"] {
            if let value = body[name], !value.isFalsy { throw .refused(.fieldNotAllowed(name)) }
        }
        let claims = body["authData"] ?? .null
        let hasClaims = !claims.isFalsy && claims.object?.isEmpty != true
        username = try Self.text(body["username"], isRequired: !hasClaims, .badUsername)
        password = try Self.text(body["password"], isRequired: !hasClaims, .badPassword)
        authData = hasClaims ? try AuthData(claims, from: providers) : .nothing
        let isKnownBySomething = username != nil && password != nil || !authData.claims.isEmpty
        guard isKnownBySomething else { throw .refused(.providerUnsupported) }
        if body["emailVerified"] != nil { throw .refused(.emailVerifiedByClient) }
        email = try SharedUserFields.email(body["email"] ?? .null)
        changes = try SharedUserFields.others(body)
        // Parse Server on PostgreSQL responds with 500 here.
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

/// The fields that signups and updates share.
enum SharedUserFields {
    /// Fields that the server sets or interprets. Like Parse, it silently ignores the client's values for the fields
    /// that it sets.
    private static let reserved: Set<String> = [
        "sessionToken", "createdAt", "updatedAt", "objectId", "id", "username", "password", "email", "emailVerified",
        "authData",
    ]

    /// All other fields, of any type. Parse fixes the type of a field with its first value and rejects other types
    /// later. Here fields have no type, because there is no way to correct a wrong first value.
    static func others(_ body: JSONObject) throws(RouteError) -> FieldChanges {
        if let list = body["ACL"], list != .null, list.object == nil {
            throw .refused(.typeMismatch("_User.ACL", expected: "ACL", got: list.parseType))
        }
        return try FieldChanges(body, except: reserved)
    }

    /// Empty and null mean no address. Like Parse, it requires only an `@` with a character on both sides, and no line
    /// breaks.
    ///
    /// Parse checks the username first: a taken username with an invalid address fails with 202 there, but with 125
    /// here, because usernames are checked after hashing.
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
