package import AuthModel
package import JSON
package import Platform

/// An account from an input file, or a generated account.
package struct AccountRow: Sendable, Equatable {
    /// The row number; 1 for the first account.
    package let number: Int
    /// The line on which the row starts, counted from 1; 0 if the account is not from a file.
    package var line = 0
    /// The id of the new user; `nil` if the server chooses it.
    package var id: String?
    package var username: String?
    package var email: String?
    package var phone: String?
    package var password: Secret?
    package var state = AccountState()
    /// The values of the JSON members or CSV columns that are no part of the account otherwise, and of the column
    /// `fields`; `authData` is an object.
    package var fields: JSONObject = [:]

    /// The name of the account in messages and at login.
    package var name: String { username ?? email ?? phone ?? "" }

    /// The row with the username as the server stores it, if that differs only by case.
    func named(as user: User) -> AccountRow {
        guard let name = user.username, name.lowercased() == username?.lowercased() else { return self }
        var row = self
        row.username = name
        return row
    }

    /// The name of the JSON member that contains `name` in credentials and tokens files.
    var nameMember: String { username == nil ? "email" : "username" }

    /// A hash of the id, the username, the e-mail and the other fields, but not of the password.
    var digest: String {
        let names: JSONObject = ["id": JSONValue(id), "username": JSONValue(username), "email": JSONValue(email)]
        return fnv1a(JSONValue.object(names).bytes + JSONValue.object(fields).bytes)
    }

    /// The position of the row in messages, such as `row 2 (line 3)`.
    package var place: String { line == 0 ? "row \(number)" : "row \(number) (line \(line))" }
}

/// Why the rows of an input file cannot be read.
package enum AccountRowError: Error, Equatable {
    /// `place` is a phrase such as `row 2 (line 3)`, and `cause` a predicate such as `is not JSON`. `cause` never
    /// quotes the row, which may contain a password.
    case invalid(place: String, cause: String)
    /// The header is invalid, so no row can be read.
    case invalidHeader(place: String, cause: String)
    /// A column or member has almost the name `right`, or it is a field for a password if `right` is `nil`.
    case misnamed(place: String, name: String, right: String?)
    case unreadable(ByteSource.Failure)
}

extension ByteSource.Failure {
    /// - Parameter name: the name of the file in the message, such as `'users.csv'`.
    package func error(reading name: String) -> AuthError {
        switch self {
        case .system(let code): AuthError(.usage, "cannot read \(name): \(code.description)")
        case .truncated: AuthError(.usage, "cannot read \(name): it became shorter while it was read")
        }
    }
}
