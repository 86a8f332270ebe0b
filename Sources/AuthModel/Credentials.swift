package import JSON

/// The credentials for a login with a password.
package struct Credentials: Sendable, Equatable {
    /// The username, e-mail address or phone number.
    package let login: String
    package let password: Secret
    /// The name that the server accepted at the last login, if it is known.
    package let known: LoginName?
    /// Additional fields that the login of a site asks for.
    package let fields: JSONObject

    package init(login: String, password: Secret, known: LoginName? = nil, fields: JSONObject = [:]) {
        self.login = login
        self.password = password
        self.known = known
        self.fields = fields
    }
}

/// The name that a user logs in with. A site accepts some of these kinds.
package enum LoginName: Sendable, Equatable {
    case username(String)
    case email(String)
    case phone(String)

    /// The field of a login request: `{"email": "ada@example.org"}`.
    package var fields: JSONObject {
        switch self {
        case .username(let name): ["username": .string(name)]
        case .email(let address): ["email": .string(address)]
        case .phone(let number): ["phone": .string(number)]
        }
    }

    /// Reads `fields`.
    package init?(_ fields: JSONObject) {
        switch (fields.names.first, fields.members.first?.value.string) {
        case ("username", let name?): self = .username(name)
        case ("email", let address?): self = .email(address)
        case ("phone", let number?): self = .phone(number)
        default: return nil
        }
    }
}

/// How a user logged in, or what an unfinished login, password reset or change waits for.
package enum AuthMethod: Sendable, Equatable {
    case password, anonymous
    /// A login by the server's administrator, without the user's password.
    case impersonation
    /// A requested password reset, which still needs the code from the e-mail.
    case passwordReset
    /// Not logged in yet: the code of the second factor finishes the login.
    case secondFactor
    /// Not logged in yet: the code or link that the server sent in place of the password finishes the login.
    case logInCode
    /// Not logged in yet: the code that the server sent to the phone finishes the signup.
    case phoneVerification
    /// Not logged in yet: the user must follow the verification link, and then log in.
    case verificationLink
    /// Logged in: the account gets a new e-mail once its link or code was used.
    case emailChange
    case identity(IdentityProvider)

    /// Returns the method with this name; `nil` if the name is unknown.
    package init?(name: String) {
        let provider = name.hasPrefix(Self.identityPrefix) ? name.dropFirst(Self.identityPrefix.count) : ""
        let method =
            IdentityProvider(String(provider)).map { .identity($0) } ?? Self.others.first { $0.name == name }
        guard let method else { return nil }
        self = method
    }

    private static let others: [AuthMethod] = [
        .password, .anonymous, .impersonation, .passwordReset, .secondFactor, .logInCode, .phoneVerification,
        .verificationLink, .emailChange,
    ]

    package var provider: IdentityProvider? { if case .identity(let provider) = self { provider } else { nil } }

    /// Distinguishes a provider from a method with the same name, such as `password`.
    private static let identityPrefix = "identity:"

    /// The name in session files: `password`, `identity:google`.
    package var name: String {
        switch self {
        case .password: "password"
        case .anonymous: "anonymous"
        case .impersonation: "impersonation"
        case .passwordReset: "passwordReset"
        case .secondFactor: "secondFactor"
        case .logInCode: "logInCode"
        case .phoneVerification: "phoneVerification"
        case .verificationLink: "verificationLink"
        case .emailChange: "emailChange"
        case .identity(let provider): Self.identityPrefix + provider.name
        }
    }
}

/// The data for a signup, or for an account that the administrator creates.
package struct NewAccount: Sendable, Equatable {
    /// The id of the new user; `nil` if the server chooses it. Only local accounts accept it from a signup.
    package var id: String?
    package var username: String?
    package var email: String?
    /// The phone number in international format, with the leading `+`.
    package var phone: String?
    /// `nil` for an account with a hash, or without a password. A signup needs a password.
    package var password: Secret?
    /// In place of a password.
    package var passwordHash: HashedPassword?
    /// Additional fields of the user, as the server stores them.
    package var fields: JSONObject
    /// What a signup cannot set, except for local accounts.
    package var state: AccountState

    package init(
        id: String? = nil, username: String?, email: String? = nil, phone: String? = nil, password: Secret?,
        passwordHash: HashedPassword? = nil, fields: JSONObject = [:], state: AccountState = AccountState()
    ) {
        self.id = id
        self.username = username
        self.email = email
        self.phone = phone
        self.password = password
        self.passwordHash = passwordHash
        self.fields = fields
        self.state = state
    }

    /// - Throws: `BackendError` `usage` without a password, which a signup and the login after it need.
    package func requiredPassword() throws(BackendError) -> Secret {
        guard let password else { throw BackendError(.usage, "a signup requires a password") }
        return password
    }
}

/// A change of the password.
package struct PasswordChange: Sendable {
    /// `nil` for an account without a password.
    package let current: Secret?
    package let new: Secret
    /// The code that an earlier change with the error `reauthenticationRequired` has requested.
    package let code: Secret?

    package init(from current: Secret?, to new: Secret, code: Secret? = nil) {
        self.current = current
        self.new = new
        self.code = code
    }

    /// - Throws: `BackendError` `usage` without the current password.
    package func requiredCurrent() throws(BackendError) -> Secret {
        guard let current else { throw BackendError(.usage, "the current password is required") }
        return current
    }
}
