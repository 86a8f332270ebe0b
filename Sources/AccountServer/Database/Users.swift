import JSON
internal import Platform
internal import SQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The table `users`.
struct Users {
    let connection: Connection

    /// A name or an address as it is compared for uniqueness: in lower case, by Unicode's mapping without language.
    ///
    /// Not normalised: Swift has no NFC without ICU. So `é` written as one character and as two are two names here,
    /// as they are to Parse on PostgreSQL.
    static func key(_ text: String) -> String { text.lowercased() }

    func isTaken(username: String) throws(SQLiteError) -> Bool {
        let sql = "SELECT count(*) FROM users WHERE username_key = ?"
        return try connection.integer(sql, [.text(Self.key(username))]) > 0
    }

    func isTaken(email: String) throws(SQLiteError) -> Bool {
        let sql = "SELECT count(*) FROM users WHERE email_key = ?"
        return try connection.integer(sql, [.text(Self.key(email))]) > 0
    }

    func insert(_ user: NewUser, id: String, passwordHash: String, at now: Timestamp) throws(SQLiteError) {
        let sql = """
            INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at, updated_at, fields)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        try connection.run(
            sql,
            [
                .text(id), .text(user.username), .text(Self.key(user.username)), Value(user.email),
                Value(user.email.map(Self.key)), .text(passwordHash), .integer(now.milliseconds),
                .integer(now.milliseconds), .text(JSONValue.object(user.fields).text),
            ])
    }

    /// By the exact name: the key finds the row, the name decides.
    func user(username: String) throws(SQLiteError) -> User? {
        try user(where: "username_key = ? AND username = ?", [.text(Self.key(username)), .text(username)])
    }

    /// By the exact address.
    func user(email: String) throws(SQLiteError) -> User? {
        try user(where: "email_key = ? AND email = ?", [.text(Self.key(email)), .text(email)])
    }

    func user(id: String) throws(SQLiteError) -> User? {
        try user(where: "id = ?", [.text(id)])
    }

    func setPasswordHash(_ hash: String, of id: String) throws(SQLiteError) {
        try connection.run("UPDATE users SET password_hash = ? WHERE id = ?", [.text(hash), .text(id)])
    }

    private func user(where condition: String, _ values: [Value]) throws(SQLiteError) -> User? {
        let sql = """
            SELECT id, username, email, email_verified, password_hash, created_at, updated_at, fields
            FROM users WHERE \(condition)
            """
        return try connection.row(sql, values) { User($0) }
    }
}

extension User {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            id: row.text(0), username: row.text(1), email: row.optionalText(2),
            isEmailVerified: row.optionalInteger(3).map { $0 != 0 }, passwordHash: row.optionalText(4),
            createdAt: Timestamp(milliseconds: row.integer(5)), updatedAt: Timestamp(milliseconds: row.integer(6)),
            fields: Self.fields(row.text(7)))
    }

    /// Written by us, so it can be read; where somebody else has been at it, a user without fields is better than none.
    private static func fields(_ text: String) -> JSONObject {
        text == "{}" ? [:] : (try? JSONValue(parsing: Data(text.utf8)))?.object ?? [:]
    }
}
