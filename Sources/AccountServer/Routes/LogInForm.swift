import JSON

/// The body of a login, checked in Parse's order.
struct LogInForm {
    enum Name {
        /// A username, or an address in its place.
        case either(String)
        case email(String)
        /// Both must be the user's.
        case both(username: String, email: String)
    }

    let name: Name
    /// Not empty.
    let password: String
    /// Whether it brings a code of a second factor.
    let hasCode: Bool

    /// Values that are no strings name nobody: 101, and never an operator of a query.
    init(_ body: JSONObject) throws(RouteError) {
        let (username, email) = (body["username"] ?? .null, body["email"] ?? .null)
        if username.isFalsy && email.isFalsy { throw .refused(.usernameRequired) }
        guard let password = body["password"], !password.isFalsy else { throw .refused(.passwordRequired) }
        guard let password = password.string else { throw .refused(.wrongCredentials) }
        self.password = password
        hasCode = !(body["authData"]?["mfa"] ?? .null).isFalsy
        switch (username, email) {
        case (.string(let username), .string(let email)) where !username.isEmpty && !email.isEmpty:
            name = .both(username: username, email: email)
        case (.string(let username), _) where !username.isEmpty && email.isFalsy: name = .either(username)
        case (_, .string(let email)) where username.isFalsy: name = .email(email)
        default: throw .refused(.wrongCredentials)
        }
    }
}
