package import AuthModel
package import JSON
package import Platform

/// An account of an input file.
package struct AccountRow: Sendable, Equatable {
    /// 1 for the first account of the file.
    package let number: Int
    /// The line that the row starts in, 1 for the first one; 0 for an account that is in no file.
    package var line = 0
    /// The id of the new user; `nil` if the server chooses it.
    package var id: String?
    package var username: String?
    package var email: String?
    package var password: Secret?
    /// All other members or columns.
    package var fields: JSONObject = [:]

    /// The name of the account in messages and at login.
    package var name: String { username ?? email ?? "" }

    /// The member of a file that holds `name`.
    var nameMember: String { username == nil ? "email" : "username" }

    /// A hash of everything but the password.
    var digest: String {
        let names: JSONObject = ["id": JSONValue(id), "username": JSONValue(username), "email": JSONValue(email)]
        return fnv1a(JSONValue.object(names).bytes + JSONValue.object(fields).bytes)
    }

    /// For messages: `row 2 (line 3)`.
    package var place: String { line == 0 ? "row \(number)" : "row \(number) (line \(line))" }
}

/// Why the rows of an input file cannot be read.
package enum AccountRowError: Error, Equatable {
    /// The row at `place` is invalid: `row 2 (line 3)`. `cause` is the end of a sentence: "is not JSON". It contains
    /// nothing of the row, which may hold a password.
    case invalid(place: String, cause: String)
    /// The header is invalid, so that no row can be read.
    case invalidHeader(place: String, cause: String)
    case unreadable(ByteSource.Failure)
}

extension ByteSource.Failure {
    /// - Parameter name: of the file, for the message: `'users.csv'`.
    package func error(reading name: String) -> AuthError {
        switch self {
        case .system(let code): AuthError(.usage, "cannot read \(name): \(code.description)")
        case .truncated: AuthError(.usage, "cannot read \(name): it became shorter while it was read")
        }
    }
}
