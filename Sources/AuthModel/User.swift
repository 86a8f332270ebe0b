package import JSON
package import Platform

/// An account on the server.
package struct User: Sendable, Equatable {
    /// The server's opaque id.
    package var id: String?
    /// `nil` if the account has no username, or if the username is unknown.
    package var username: String?
    package var email: String?
    /// Whether the server reports that the user has no e-mail. If `false` and `email` is `nil`, the e-mail is unknown.
    package var lacksEmail = false
    /// `nil` if the server does not report whether the e-mail is verified.
    package var emailVerified: Bool?
    /// The phone number, with the leading `+` if the server shows it.
    package var phone: String?
    /// `nil` if the server does not report whether the phone number is verified.
    package var phoneVerified: Bool?
    /// Whether nobody can log in to the account; `nil` if the server does not tell.
    package var disabled: Bool?
    /// What the tokens of the account carry, and the user cannot change, without members whose names suggest a secret;
    /// `nil` if the server does not tell.
    package var claims: JSONObject? {
        didSet { claims = claims?.withoutSecrets }
    }
    /// The names of Parse roles; `nil` if the server does not tell.
    package var roles: [String]?
    /// In a list of accounts that asks for it, the hash in the form of `HashedPassword`; `nil` if the account has none.
    package var passwordHash: Secret?
    package var createdAt: Instant?
    /// The linked identities; `nil` if the server does not report them.
    package var identities: [Identity]?
    /// All other fields, without members whose names suggest a secret.
    package var fields: JSONObject {
        didSet { fields = fields.withoutSecrets }
    }
    /// In a list of accounts, the names of the server's fields that `fields` lacks, because they suggest a secret.
    package var hiddenFields: [String] = []

    package init(
        id: String? = nil, username: String? = nil, email: String? = nil, emailVerified: Bool? = nil,
        phone: String? = nil, createdAt: Instant? = nil, identities: [Identity]? = nil, fields: JSONObject = [:]
    ) {
        self.id = id
        self.username = username
        self.email = email
        self.emailVerified = emailVerified
        self.phone = phone
        self.createdAt = createdAt
        self.identities = identities
        self.fields = fields.withoutSecrets
    }

    /// Creates a user from a login name, which is an e-mail address if it contains `@`.
    package init(login: String) {
        if login.utf8.contains(UInt8(ascii: "@")) { self.init(email: login) } else { self.init(username: login) }
    }

    /// The providers of the linked identities, without duplicates; `nil` if the server does not report them.
    package var providers: [String]? {
        identities?.reduce(into: []) { if !$0.contains($1.provider) { $0.append($1.provider) } }
    }

    /// Fills in an unknown e-mail from `known`, unless the ids differ.
    package func keepingEmail(of known: User) -> User {
        guard email == nil, !lacksEmail, id == nil || known.id == nil || id == known.id else { return self }
        var user = self
        user.email = known.email
        user.emailVerified = emailVerified ?? known.emailVerified
        return user
    }

    /// Fills in id, username and e-mail from `known` if the server shows none of them.
    package func keepingNames(of known: User) -> User {
        guard displayName == nil else { return self }
        var user = self
        (user.id, user.username, user.email) = (known.id, known.username, known.email)
        user.emailVerified = emailVerified ?? known.emailVerified
        return user
    }

    /// The name to show: the username, else the e-mail address, else the phone number, else the id.
    package var displayName: String? { username ?? email ?? phone ?? id }
}

/// A change to a user. Fields that the change does not contain keep their values.
package struct UserChange: Sendable, Equatable {
    package var username: String?
    package var email: String?
    /// New values for further fields, by the server's field names.
    package var fields: JSONObject
    /// The names of the fields to remove; `email` removes the e-mail address.
    package var unset: [String]
    /// The new password. A user sets only the first one in this way, on a server that stores the first e-mail only
    /// together with it.
    package var password: Secret?

    package init(
        username: String? = nil, email: String? = nil, fields: JSONObject = [:], unset: [String] = []
    ) {
        self.username = username
        self.email = email
        self.fields = fields
        self.unset = unset
    }

    /// The new values by name; `null` for a field to remove.
    package var values: JSONObject {
        var values = fields
        values["username"] = username.map(JSONValue.string)
        values["email"] = email.map(JSONValue.string)
        for name in unset { values[name] = .null }
        return values
    }

    /// The names of the fields in which `user` differs from this change. An empty string equals a removed field.
    package func missing(in user: User) -> [String] {
        values.members.filter { member in
            let value = user[member.name]
            if member.value == .null && value == "" { return false }
            if let number = member.value.integer, let stored = value.integer { return number != stored }
            guard member.name == "ACL" else { return !member.value.isStored(as: value) }
            return !member.value.comparableACL(of: user.id).isStored(as: value.comparableACL(of: user.id))
        }.map(\.name)
    }

    /// Whether the change removes a field that `user` may have although it does not show it.
    package func mayRemoveHidden(from user: User) -> Bool {
        values.members.contains { member in
            guard member.value == .null else { return false }
            return member.name == "email"
                ? !user.lacksEmail : unset.contains(member.name) || user.shown(member.name) != .null
        }
    }

    /// Whether the field has the new value as servers may rewrite it: a name in lower case, another value in the form
    /// of its column, without members that `User` does not show.
    package func isRewritten(_ name: String, in user: User) -> Bool {
        let (value, stored) = (values[name]?.withoutSecrets ?? .null, user[name])
        guard name == "username" || name == "email" else { return value.isRewritten(as: stored) }
        return value.string.map { $0.lowercased() == stored.string?.lowercased() } ?? false
    }
}

extension User {
    /// The username, the e-mail or the field with this name; `null` if it is missing.
    package subscript(name: String) -> JSONValue { shown(name) ?? .null }

    /// - Parameter name: also the path of a member, such as Parse's `prefs.size`.
    fileprivate func shown(_ name: String) -> JSONValue? {
        switch name {
        case "username": return username.map(JSONValue.string)
        case "email": return email.map(JSONValue.string)
        default:
            if let value = fields[name] { return value }
            return name.split(separator: ".").reduce(JSONValue.object(fields)) { $0?[String($1)] }
        }
    }

    /// Returns the user with the change applied, for a server whose response does not contain the user.
    package func applying(_ change: UserChange) -> User {
        var user = self
        user.username = change.username ?? username
        if change.email ?? email != email || change.unset.contains("email") {
            user.email = change.email
            user.emailVerified = nil
        }
        // The next response shows the new value of a member, such as `prefs.size`.
        for field in change.fields.members where !field.name.utf8.contains(UInt8(ascii: ".")) {
            user.fields[field.name] = field.value
        }
        for name in change.unset { user.fields[name] = nil }
        return user
    }
}
