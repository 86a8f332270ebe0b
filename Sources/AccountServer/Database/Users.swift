import JSON
internal import Platform
internal import SQLite

/// The table `users`.
struct Users {
    let database: GuardedDatabase

    /// The form of a username or address that is compared for uniqueness: without white space and invisible characters
    /// (Unicode: default ignorable), and lowercase by Unicode's locale-independent mapping.
    ///
    /// The result is not normalized, because Swift has no NFC without ICU. `é` as one scalar and `é` as two scalars are
    /// different usernames, as in Parse on PostgreSQL.
    static func key(_ text: String) -> String {
        let visible = text.unicodeScalars.filter {
            !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
        }
        return String(String.UnicodeScalarView(visible)).lowercased()
    }

    /// - Parameter id: the id of a user whose own username is ignored.
    func isTaken(username: String, byOtherThan id: String) throws(RequestError) -> Bool {
        try isTaken(username, in: "username_key", id)
    }

    func isTaken(email: String, byOtherThan id: String) throws(RequestError) -> Bool {
        try isTaken(email, in: "email_key", id)
    }

    private func isTaken(_ name: String, in column: String, _ id: String) throws(RequestError) -> Bool {
        let sql = "SELECT 1 FROM users WHERE \(column) = ? AND id <> ?"
        return try database.row(sql, [.text(Self.key(name)), .text(id)]) { _ in true } ?? false
    }

    /// The name under which the user's failed logins are counted, see `Throttle`.
    func account(_ user: UserRow) -> String { "user \(user.id)" }

    /// The name under which failed logins with this username or address are counted: `account` of the user with the
    /// same `key`. If there is no such user, the name is derived from the `key`.
    func account(like name: String) throws(RequestError) -> String {
        try user(like: name).map { account($0) } ?? "name \(Self.key(name))"
    }

    private func user(like name: String) throws(RequestError) -> UserRow? {
        let key: [Value] = [.text(Self.key(name))]
        if let user = try user(where: "username_key = ?", key) { return user }
        return try user(where: "email_key = ?", key)
    }

    func insert(_ user: UserRow) throws(RequestError) {
        try database.run(
            """
            INSERT INTO users (username, username_key, email, email_key, email_verified, password_hash, updated_at,
                fields, id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, columns(of: user) + [.text(user.id), .integer(user.createdAt.milliseconds)])
    }

    /// Updates all columns that can change.
    func update(_ user: UserRow) throws(RequestError) {
        try database.run(
            """
            UPDATE users SET username = ?, username_key = ?, email = ?, email_key = ?, email_verified = ?,
                password_hash = ?, updated_at = ?, fields = ?
            WHERE id = ?
            """, columns(of: user) + [.text(user.id)])
    }

    private func columns(of user: UserRow) -> [Value] {
        [
            .text(user.username), .text(Self.key(user.username)), Value(user.email), Value(user.email.map(Self.key)),
            user.isEmailVerified.map { .integer($0 ? 1 : 0) } ?? .null, Value(user.passwordHash),
            .integer(user.updatedAt.milliseconds), .text(JSONValue.object(user.fields).text),
        ]
    }

    /// Deletes the user. Foreign keys delete the user's sessions, identities and mail tokens.
    func delete(id: String) throws(RequestError) {
        try database.run("DELETE FROM users WHERE id = ?", [.text(id)])
    }

    /// Finds a user by the exact username.
    func user(username: String) throws(RequestError) -> UserRow? {
        try user(where: "username_key = ? AND username = ?", [.text(Self.key(username)), .text(username)])
    }

    /// Finds a user by the exact address.
    func user(email: String) throws(RequestError) -> UserRow? {
        try user(where: "email_key = ? AND email = ?", [.text(Self.key(email)), .text(email)])
    }

    /// The stored spelling of a username or address that has the same `key` as this name but a different spelling.
    func similarName(to name: String) throws(RequestError) -> String? {
        guard let user = try user(like: name) else { return nil }
        let found = Self.key(user.username) == Self.key(name) ? user.username : user.email
        return found == name ? nil : found
    }

    func user(id: String) throws(RequestError) -> UserRow? {
        try database.row(Self.selectByID, [.text(id)]) { UserRow($0) }
    }

    private static let selectByID = "\(select) WHERE id = ?"

    /// The caller, and the users whose ACL lets the caller read them, see `UserRow.isReadable`.
    ///
    /// - Parameters:
    ///   - caller: the id of the logged-in user; `nil` if no user is logged in.
    ///   - ids: the ids of the users to consider; `nil` for all users.
    /// - Returns: the users in the order of creation.
    func users(readableBy caller: String?, among ids: [String]?) throws(RequestError) -> [UserRow] {
        let sql = "\(Self.select) \(Self.readable) ORDER BY rowid"
        return try database.rows(sql, Self.reader(caller, ids)) { UserRow($0) }
    }

    /// The first `limit` users whose ids are greater than `id`, ordered by id.
    func users(after id: String, limit: Int64) throws(RequestError) -> [UserRow] {
        let sql = "\(Self.select) WHERE id > ? ORDER BY id LIMIT ?"
        return try database.rows(sql, [.text(id), .integer(limit)]) { UserRow($0) }
    }

    /// The size in bytes of the stored fields of the users that `users(readableBy:among:)` returns.
    func size(readableBy caller: String?, among ids: [String]?) throws(RequestError) -> Int64 {
        let sql = "SELECT sum(length(CAST(fields AS BLOB))) FROM users \(Self.readable)"
        return try database.row(sql, Self.reader(caller, ids)) { $0.integer(0) } ?? 0
    }

    /// The search for `"ACL":` skips most users without parsing their fields. The id in a JSON path needs no escaping,
    /// because ids contain only letters and digits.
    private static let readable = """
        WHERE (id = ?1 OR CASE WHEN instr(fields, '"ACL":') = 0 OR NOT json_valid(fields) THEN 0
            ELSE json_type(fields, '$.ACL."*".read') IS 'true'
                OR json_type(fields, '$.ACL."' || ifnull(?1, '*') || '".read') IS 'true' END)
            AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))
        """

    private static func reader(_ caller: String?, _ ids: [String]?) -> [Value] {
        [Value(caller), Value(ids.map { JSONValue($0).text })]
    }

    func setPasswordHash(_ hash: String, of id: String) throws(RequestError) {
        try database.run("UPDATE users SET password_hash = ? WHERE id = ?", [.text(hash), .text(id)])
    }

    private func user(where condition: String, _ values: [Value]) throws(RequestError) -> UserRow? {
        try database.row("\(Self.select) WHERE \(condition)", values) { UserRow($0) }
    }

    private static let select =
        "SELECT id, username, email, email_verified, password_hash, created_at, updated_at, fields FROM users"
}

/// A row of `users`.
struct UserRow {
    let id: String
    var username: String
    /// `nil` or a nonempty address.
    var email: String?
    /// `nil` until the server requires verification or the address is verified.
    var isEmailVerified: Bool?
    /// `nil` if the user cannot log in with a password.
    var passwordHash: String?
    let createdAt: Instant
    var updatedAt: Instant
    /// The fields that the client added, including `ACL` if the client sent one.
    var fields: JSONObject
}

extension UserRow {
    /// Whether the caller may read this user: the caller is this user, or the ACL permits it. Parse Server has the
    /// same rule, but also applies ACL entries for roles. This server has no roles.
    ///
    /// - Parameter caller: the id of the logged-in user; `nil` if no user is logged in.
    func isReadable(by caller: String?) -> Bool {
        guard caller != id else { return true }
        return ["*", caller].contains { name in
            name.map { fields["ACL"]?[$0]?["read"] == true } ?? false
        }
    }

    /// - Parameter first: the index of the first column, `id`.
    init(_ row: borrowing Row, from first: Int32 = 0) {
        self.init(
            id: row.text(first), username: row.text(first + 1), email: row.optionalText(first + 2),
            isEmailVerified: row.optionalInteger(first + 3).map { $0 != 0 },
            passwordHash: row.optionalText(first + 4), createdAt: Instant(milliseconds: row.integer(first + 5)),
            updatedAt: Instant(milliseconds: row.integer(first + 6)),
            fields: JSONObject(stored: row.text(first + 7)))
    }
}

extension JSONObject {
    /// Parses stored fields. A string that another program damaged yields an empty object instead of an error.
    init(stored text: String) {
        self = text == "{}" ? [:] : (try? JSONValue(parsing: text.utf8))?.object ?? [:]
    }
}
