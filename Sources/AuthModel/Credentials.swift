package import JSON

/// The username or address and the password of a login.
package struct Credentials: Sendable, Equatable {
    /// The username or e-mail address.
    package let login: String
    package let password: Secret

    package init(login: String, password: Secret) {
        self.login = login
        self.password = password
    }
}

/// How a user logged in.
package enum AuthMethod: String, Sendable {
    case password, facebook, anonymous
}

/// The data of a signup.
package struct NewAccount: Sendable, Equatable {
    package var username: String?
    package var email: String?
    /// In international form, with its `+`.
    package var phone: String?
    package var password: Secret
    /// Further fields of the user, as the server stores them.
    package var fields: JSONObject

    package init(
        username: String?, email: String? = nil, phone: String? = nil, password: Secret, fields: JSONObject = [:]
    ) {
        self.username = username
        self.email = email
        self.phone = phone
        self.password = password
        self.fields = fields
    }
}
