import JSON
import Platform
internal import SQLite

/// A row of `sessions`, without its token: the database holds only a hash of that.
struct SessionRow {
    let id: String
    let userID: String
    let createdAt: Instant
    let updatedAt: Instant
    let expiresAt: Instant
    let origin: SessionOrigin
    /// The client's own identifier of a device.
    let installationID: String?
    /// What else a client stored.
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

/// How a session came to be; Parse's `createdWith`.
struct SessionOrigin {
    /// `signup`, `login`, `create`.
    let action: String
    /// `password`, `facebook`, `anonymous`; `nil` where nobody vouched for the user.
    let authProvider: String?

    static let signUp = SessionOrigin(action: "signup", authProvider: "password")
    static let logIn = SessionOrigin(action: "login", authProvider: "password")
    /// By another session.
    static let created = SessionOrigin(action: "create", authProvider: nil)

    /// As Parse words it, also where the user is new.
    static func provider(_ name: String) -> SessionOrigin { SessionOrigin(action: "login", authProvider: name) }
}
