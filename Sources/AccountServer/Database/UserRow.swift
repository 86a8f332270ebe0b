import JSON
import Platform
internal import SQLite

/// A row of `users`.
struct UserRow {
    let id: String
    var username: String
    /// Never empty.
    var email: String?
    /// `nil`: verification was never requested.
    var isEmailVerified: Bool?
    /// `nil`: the user cannot log in with a password.
    var passwordHash: String?
    let createdAt: Instant
    var updatedAt: Instant
    /// The client's own fields, including `ACL` if it sent one.
    var fields: JSONObject
}

extension UserRow {
    /// Whether the user may read this one: it is the same, or the ACL says so. Parse Server is the source; roles, which
    /// an ACL may also name, do not exist here.
    ///
    /// - Parameter caller: the id of a user; `nil`: no user is logged in.
    func isReadable(by caller: String?) -> Bool {
        guard caller != id else { return true }
        return ["*", caller].contains { name in
            name.map { fields["ACL"]?[$0]?["read"] == true } ?? false
        }
    }

    /// - Parameter first: the column of the id.
    init(_ row: borrowing Row, from first: Int32 = 0) {
        self.init(
            id: row.text(first), username: row.text(first + 1), email: row.optionalText(first + 2),
            isEmailVerified: row.optionalInteger(first + 3).map { $0 != 0 },
            passwordHash: row.optionalText(first + 4), createdAt: Instant(milliseconds: row.integer(first + 5)),
            updatedAt: Instant(milliseconds: row.integer(first + 6)),
            fields: JSONObject(stored: row.text(first + 7)))
    }
}
