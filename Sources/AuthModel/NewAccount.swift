package import JSON

/// What an account is made from.
package struct NewAccount: Sendable, Equatable {
    package var username: String?
    package var email: String?
    /// In international form, with its `+`.
    package var phone: String?
    package var password: Secret
    /// Further fields of the user, as the server is to keep them.
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
