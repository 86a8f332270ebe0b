import JSON

/// The body of a signup, checked in Parse's order.
struct SignUpForm {
    let user: NewUser
    /// Not empty.
    let password: String

    /// What the server itself fills in; the client's values are dropped without a word, as Parse does.
    private static let serverFields = ["sessionToken", "createdAt", "updatedAt", "objectId", "id"]
    private static let accountFields = ["username", "password", "email", "authData"]

    init(_ body: JSONObject) throws(RouteError) {
        for name in ["objectId", "id"] {
            if let value = body[name], !value.isFalsy { throw .refused(.fieldNotAllowed(name)) }
        }
        guard let username = body["username"]?.string, !username.isEmpty else { throw .refused(.badUsername) }
        guard let password = body["password"]?.string, !password.isEmpty else { throw .refused(.badPassword) }
        try Self.checkProviders(body)
        if body["emailVerified"] != nil { throw .refused(.emailVerifiedByClient) }
        let email = try Self.email(body)
        let fields = try Self.fields(body)
        // Parse Server on PostgreSQL answers 500 here.
        if username.utf8.contains(0) { throw .refused(.badUsername) }
        user = NewUser(username: username, email: email, fields: fields)
        self.password = password
    }

    /// No provider is known yet; naming none is no fault.
    private static func checkProviders(_ body: JSONObject) throws(RouteError) {
        guard let providers = body["authData"], !providers.isFalsy else { return }
        guard providers.object?.isEmpty == true else { throw .refused(.providerUnsupported) }
    }

    /// Empty and null mean none. Parse asks for no more of an address than a sign on both sides of an `@`, in one line.
    ///
    /// It does so after it has looked for the name: a taken name with a bad address is 202 there and 125 here, where
    /// the name is looked for after hashing.
    private static func email(_ body: JSONObject) throws(RouteError) -> String? {
        guard let value = body["email"], value != .null else { return nil }
        guard let email = value.string else {
            throw .refused(.typeMismatch("email", expected: "String", got: value.parseType))
        }
        if email.isEmpty { return nil }
        let inner = email.unicodeScalars.dropFirst().dropLast()
        let hasBreak = email.unicodeScalars.contains { ["\0", "\n", "\r", "\u{2028}", "\u{2029}"].contains($0) }
        guard inner.contains("@"), !hasBreak else { throw .refused(.emailInvalid) }
        return email
    }

    /// Everything else, of whatever type. Parse gives each field the type of its first value and refuses others later;
    /// here a field has no type, since nobody could correct the first one.
    private static func fields(_ body: JSONObject) throws(RouteError) -> JSONObject {
        if let list = body["ACL"], list != .null, list.object == nil {
            throw .refused(.typeMismatch("ACL", expected: "ACL", got: list.parseType))
        }
        return JSONObject(
            body.members.filter { member in
                member.name.isFieldName && !serverFields.contains(member.name)
                    && !accountFields.contains(member.name)
            })
    }
}

extension String {
    /// Letters, digits and underscores of ASCII, a letter first. Parse drops fields with other names without a word.
    fileprivate var isFieldName: Bool {
        guard let first = utf8.first, first.isASCIILetter else { return false }
        return utf8.allSatisfy { $0.isASCIILetter || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}
