import JSON
import Platform
internal import SQLite

/// A row of `sessions`. It has no token, because the database stores only the token's hash.
struct SessionRow {
    let id: String
    let userID: String
    let createdAt: Instant
    let updatedAt: Instant
    let expiresAt: Instant
    let origin: SessionOrigin
    /// The device id that the client chose.
    let installationID: String?
    /// The client's own fields.
    var fields: JSONObject = [:]
}

extension SessionRow {
    init(_ row: borrowing Row) {
        self.init(
            id: row.text(0), userID: row.text(1), createdAt: Instant(milliseconds: row.integer(2)),
            updatedAt: Instant(milliseconds: row.integer(3)), expiresAt: Instant(milliseconds: row.integer(4)),
            origin: SessionOrigin(action: row.text(5), authProvider: row.optionalText(6)),
            installationID: row.optionalText(7), fields: JSONObject(stored: row.text(8)))
    }
}

/// How a session was created; Parse's `createdWith`.
struct SessionOrigin {
    /// `signup`, `login` or `create`.
    let action: String
    /// `password`, `anonymous` or the name of a provider; `nil` if the session was created by another session.
    let authProvider: String?

    static let signUp = SessionOrigin(action: "signup", authProvider: "password")
    static let logIn = SessionOrigin(action: "login", authProvider: "password")
    /// Created by another session.
    static let created = SessionOrigin(action: "create", authProvider: nil)

    /// Parse uses the action "login" even if the user is new.
    static func provider(_ name: String) -> SessionOrigin { SessionOrigin(action: "login", authProvider: name) }
}
