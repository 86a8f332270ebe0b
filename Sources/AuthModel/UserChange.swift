package import JSON

/// A change of a user. Values that it does not name do not change.
package struct UserChange: Sendable, Equatable {
    package var username: String?
    package var email: String?
    /// Further fields, by the server's names.
    package var fields: JSONObject
    /// The names of fields to remove; `email` is the e-mail.
    package var unset: [String]

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

    /// The names of the values that a user does not have yet, or that no response shows.
    package func missing(in user: User) -> [String] {
        values.members.filter { member in
            let isUnset = member.value == .null && user[member.name] == ""
            return user[member.name] != member.value && !isUnset
        }.map(\.name)
    }
}

extension User {
    /// The username, the e-mail or another field; `null` without one.
    package subscript(name: String) -> JSONValue {
        switch name {
        case "username": JSONValue(username)
        case "email": JSONValue(email)
        default: fields[name] ?? .null
        }
    }

    /// The user after a change whose response does not contain the user.
    package func applying(_ change: UserChange) -> User {
        var user = self
        user.username = change.username ?? username
        if change.email ?? email != email || change.unset.contains("email") {
            user.email = change.email
            user.emailVerified = nil
        }
        for field in change.fields.members { user.fields[field.name] = field.value }
        for name in change.unset { user.fields[name] = nil }
        return user
    }
}
