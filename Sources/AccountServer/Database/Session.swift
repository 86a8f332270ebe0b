/// A row of `sessions`, without its token: the database holds only a hash of that.
struct Session {
    let id: String
    let userID: String
    let createdAt: Timestamp
    let updatedAt: Timestamp
    let expiresAt: Timestamp
    let origin: SessionOrigin
    /// The client's own identifier of a device.
    let installationID: String?
}

/// How a session came to be; Parse's `createdWith`.
struct SessionOrigin {
    /// `signup`, `login`.
    let action: String
    /// `password`; `nil` where nobody vouched for the user.
    let authProvider: String?

    static let signUp = SessionOrigin(action: "signup", authProvider: "password")
    static let logIn = SessionOrigin(action: "login", authProvider: "password")
}
