package import JSON
package import Platform

/// Somebody who has an account at the server.
package struct User: Sendable, Equatable {
    /// The server's id, opaque.
    package var id: String?
    /// Missing where accounts are known by their e-mail.
    package var username: String?
    package var email: String?
    /// `nil`: the server does not say.
    package var emailVerified: Bool?
    package var createdAt: Instant?
    /// Identities linked to the account, such as `facebook`; `nil`: the server does not say.
    package var providers: [String]?
    /// What else the server knows of the user, as it was given, without any secret.
    package var fields: JSONObject

    package init(
        id: String? = nil, username: String? = nil, email: String? = nil, emailVerified: Bool? = nil,
        createdAt: Instant? = nil, providers: [String]? = nil, fields: JSONObject = [:]
    ) {
        self.id = id
        self.username = username
        self.email = email
        self.emailVerified = emailVerified
        self.createdAt = createdAt
        self.providers = providers
        self.fields = fields
    }

    /// Somebody of whom only that is known with which they log in: an e-mail holds the sign, a user name mostly does not.
    package init(login: String) {
        if login.utf8.contains(UInt8(ascii: "@")) { self.init(email: login) } else { self.init(username: login) }
    }

    /// How to speak of this user: the name, else the e-mail, else the phone number where accounts are known by one, else
    /// the id.
    package var displayName: String? { username ?? email ?? fields["phoneNumber"]?.string ?? id }
}
