import JSON

/// The body of `PUT /users/<id>`, checked in Parse's order.
///
/// Unlike Parse, it rejects an empty username and an empty password: the user could not log in with them.
struct UserUpdateForm {
    enum EmailChange {
        case set(String)
        case remove
    }

    /// `nil`: unchanged.
    let username: String?
    /// `nil`: unchanged.
    let password: String?
    /// `nil`: unchanged.
    let email: EmailChange?
    /// `nil`: unchanged.
    let authData: AuthData?
    let changes: FieldChanges

    init(_ body: JSONObject, from providers: AcceptedProviders) throws(RouteError) {
        authData = try body["authData"].map { value throws(RouteError) in
            try AuthData(value, from: providers)
        }
        if body["emailVerified"] != nil { throw .refused(.emailVerifiedByClient) }
        username = try Self.text("username", body, .badUsername)
        password = try Self.text("password", body, .badPassword)
        email = try Self.email(body["email"])
        changes = try SharedUserFields.others(body)
        if username?.utf8.contains(0) == true { throw .refused(.badUsername) }
    }

    private static func text(_ name: String, _ body: JSONObject, _ refusal: ParseError) throws(RouteError) -> String? {
        guard let value = body[name] else { return nil }
        if value == "" || value == .null || value["__op"] != nil { throw .refused(refusal) }
        guard let text = value.string else {
            throw .refused(.typeMismatch("_User.\(name)", expected: "String", got: value.parseType))
        }
        return text
    }

    private static func email(_ value: JSONValue?) throws(RouteError) -> EmailChange? {
        guard let value else { return nil }
        if value["__op"] == "Delete" { return .remove }
        return try SharedUserFields.email(value).map { .set($0) } ?? .remove
    }
}
