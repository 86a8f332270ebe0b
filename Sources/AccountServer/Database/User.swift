import JSON

/// A row of `users`.
struct User {
    let id: String
    let username: String
    let email: String?
    let isEmailVerified: Bool?
    /// `nil`: no login with a password.
    let passwordHash: String?
    let createdAt: Timestamp
    let updatedAt: Timestamp
    /// What else a client stored, with `ACL` if it sent one.
    let fields: JSONObject
}

/// What a signup asks for, checked.
struct NewUser {
    let username: String
    /// Not empty.
    let email: String?
    let fields: JSONObject
}
