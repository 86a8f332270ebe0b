import JSON

/// A row of `users`.
struct User {
    let id: String
    var username: String
    /// Not empty.
    var email: String?
    /// `nil`: nobody asked yet.
    var isEmailVerified: Bool?
    /// `nil`: no login with a password.
    var passwordHash: String?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    /// What else a client stored, with `ACL` if it sent one.
    var fields: JSONObject
}
