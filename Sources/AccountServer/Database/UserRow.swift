import JSON
import Platform
internal import SQLite

/// A row of `users`.
struct UserRow {
    let id: String
    var username: String
    /// Not empty.
    var email: String?
    /// `nil`: nobody asked yet.
    var isEmailVerified: Bool?
    /// `nil`: no login with a password.
    var passwordHash: String?
    let createdAt: Instant
    var updatedAt: Instant
    /// What else a client stored, with `ACL` if it sent one.
    var fields: JSONObject
}

extension UserRow {
    init(_ row: borrowing Row) {
        self.init(
            id: row.text(0), username: row.text(1), email: row.optionalText(2),
            isEmailVerified: row.optionalInteger(3).map { $0 != 0 }, passwordHash: row.optionalText(4),
            createdAt: Instant(milliseconds: row.integer(5)), updatedAt: Instant(milliseconds: row.integer(6)),
            fields: JSONObject(stored: row.text(7)))
    }
}
