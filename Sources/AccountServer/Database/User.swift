import JSON
import Platform

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
    let createdAt: Instant
    var updatedAt: Instant
    /// What else a client stored, with `ACL` if it sent one.
    var fields: JSONObject
}
