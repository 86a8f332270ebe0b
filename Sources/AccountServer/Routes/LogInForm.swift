import JSON

/// The body of a login, checked in Parse's order.
struct LogInForm {
    enum Name {
        /// A username, or an address in the username field.
        case either(String)
        case email(String)
        /// Both must match the same user.
        case both(username: String, email: String)

        var text: String {
            switch self {
            case .either(let text), .email(let text), .both(let text, _): text
            }
        }
    }

    let name: Name
    /// Never empty.
    let password: String
    /// Whether it contains a code of a second factor.
    let hasCode: Bool

    /// A value that is not a string matches no user and fails with 101; it is never used as a query operator.
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
