import JSON
internal import Platform
internal import SQLite

/// The table `users`.
struct Users {
    let connection: DatabaseConnection

    /// The form of a username or address that is compared for uniqueness: without white space and invisible characters
    /// (Unicode: default ignorable), and lowercase by Unicode's locale-independent mapping.
    ///
    /// It is not normalised, because Swift has no NFC without ICU. `é` as one scalar and as two scalars are different
    /// usernames, as in Parse on PostgreSQL.
    static func key(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isInvisible) else { return text.lowercased() }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { !isInvisible($0) })).lowercased()
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        // Of ASCII only the space, and tab to carriage return: the tables of Unicode need not be searched.
        if scalar.isASCII { return scalar == " " || ("\t"..."\r").contains(scalar) }
        return scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
    }

    /// - Parameter id: the id of a user whose own username does not count.
    func isTaken(username: String, byOtherThan id: String = "") throws(SQLiteError) -> Bool {
        try isTaken(username, in: "username_key", id)
    }

    func isTaken(email: String, byOtherThan id: String = "") throws(SQLiteError) -> Bool {
        try isTaken(email, in: "email_key", id)
    }

    /// Whether a user has the key, or the key followed by a space, see `updateKeys`.
    private func isTaken(_ name: String, in column: String, _ id: String) throws(SQLiteError) -> Bool {
        let sql = """
            SELECT count(*) FROM users
            WHERE (\(column) = ?1 OR \(column) > ?1 || ' ' AND \(column) < ?1 || '!') AND id <> ?2
            """
        return try connection.integer(sql, [.text(Self.key(name)), .text(id)]) > 0
    }

    /// The name of the user's account in `Counters`.
    func account(_ user: UserRow) -> String { "user \(user.id)" }

    /// The account of the user whose username or address has the same key; without one, an account of the key itself.
    func account(like name: String) throws(SQLiteError) -> String {
        let key = Self.key(name)
        let username = try user(where: "username_key = ?", [.text(key)])
        let found = if let username { username } else { try user(where: "email_key = ?", [.text(key)]) }
        return found.map { account($0) } ?? "name \(key)"
    }

    func insert(_ user: UserRow) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO users (username, username_key, email, email_key, email_verified, password_hash, updated_at,
                fields, id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, columns(of: user) + [.text(user.id), .integer(user.createdAt.milliseconds)])
    }

    /// Updates all columns that can change. The key of an unchanged name stays, see `updateKeys`.
    func update(_ user: UserRow) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE users SET username = ?1, username_key = iif(username = ?1, username_key, ?2),
                email = ?3, email_key = iif(email = ?3, email_key, ?4), email_verified = ?5, password_hash = ?6,
                updated_at = ?7, fields = ?8
            WHERE id = ?9
            """, columns(of: user) + [.text(user.id)])
    }

    private func columns(of user: UserRow) -> [Value] {
        [
            .text(user.username), .text(Self.key(user.username)), Value(user.email), Value(user.email.map(Self.key)),
            user.isEmailVerified.map { .integer($0 ? 1 : 0) } ?? .null, Value(user.passwordHash),
            .integer(user.updatedAt.milliseconds), .text(JSONValue.object(user.fields).text),
        ]
    }

    /// Deletes the user; foreign keys delete its sessions, identities and mail tokens.
    func delete(id: String) throws(SQLiteError) {
        try connection.run("DELETE FROM users WHERE id = ?", [.text(id)])
    }

    /// By the exact username: the key finds the few rows that may have it, see `isTaken`.
    func user(username: String) throws(SQLiteError) -> UserRow? {
        try user(
            where: "username_key >= ?1 AND username_key < ?1 || '!' AND username = ?2",
            [.text(Self.key(username)), .text(username)])
    }

    /// By the exact address.
    func user(email: String) throws(SQLiteError) -> UserRow? {
        try user(
            where: "email_key >= ?1 AND email_key < ?1 || '!' AND email = ?2", [.text(Self.key(email)), .text(email)])
    }

    /// The username, else the address, of an account whose name differs from this one only in case or white space.
    func similarName(to name: String) throws(SQLiteError) -> String? {
        let key = Self.key(name)
        let username = try user(where: "username_key = ?", [.text(key)])?.username
        let found = if let username { username } else { try user(where: "email_key = ?", [.text(key)])?.email }
        return found == name ? nil : found
    }

    func user(id: String) throws(SQLiteError) -> UserRow? {
        try connection.row(Self.selectByID, [.text(id)]) { UserRow($0) }
    }

    private static let selectByID = "\(select) WHERE id = ?"

    /// The user `caller`, and the users whose ACL lets it read them, see `UserRow.isReadable`.
    ///
    /// - Parameters:
    ///   - caller: `nil`: no user is logged in.
    ///   - ids: only users with these ids; `nil`: any.
    ///   - page: `nil`: all, in the order of creation.
    func users(readableBy caller: String?, among ids: [String]?, _ page: RowPage?) throws(SQLiteError) -> [UserRow] {
        let sql = "\(Self.select) \(Self.readable(page))"
        return try connection.rows(sql, Self.reader(caller, ids, page)) { UserRow($0) }
    }

    /// The number of users that `users(readableBy:among:_:)` loads, and the bytes of their fields.
    func size(
        readableBy caller: String?, among ids: [String]?, _ page: RowPage?
    ) throws(SQLiteError) -> (rows: Int64, bytes: Int64) {
        let sql = """
            SELECT count(*), ifnull(sum(length(CAST(fields AS BLOB))), 0)
            FROM (SELECT fields FROM users \(Self.readable(page)))
            """
        return try connection.row(sql, Self.reader(caller, ids, page)) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    }

    /// The columns that sort a page.
    static let sortableColumns = [
        "createdAt": "created_at", "updatedAt": "updated_at", "objectId": "id", "username": "username",
    ]

    /// The search for `"ACL":` skips most users without parsing their fields. Ids have letters and digits only, so they
    /// need no quoting.
    private static func readable(_ page: RowPage?) -> String {
        """
        WHERE (id = ?1 OR CASE WHEN instr(fields, '"ACL":') = 0 OR NOT json_valid(fields) THEN 0
            ELSE json_type(fields, '$.ACL."*".read') IS 'true'
                OR json_type(fields, '$.ACL."' || ifnull(?1, '*') || '".read') IS 'true' END)
            AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))
        ORDER BY \(page?.orderSQL ?? "rowid") LIMIT ?3 OFFSET ?4
        """
    }

    /// SQLite takes -1 for no limit.
    private static func reader(_ caller: String?, _ ids: [String]?, _ page: RowPage?) -> [Value] {
        [
            Value(caller), Value(ids.map { JSONValue($0).text }), .integer(page?.limit ?? -1),
            .integer(page?.skip ?? 0),
        ]
    }

    func setPasswordHash(_ hash: String, of id: String) throws(SQLiteError) {
        try connection.run("UPDATE users SET password_hash = ? WHERE id = ?", [.text(hash), .text(id)])
    }

    /// Computes the keys of version 2 again, which had white space. If several users would get the same key, the first
    /// one gets it: one whose key does not change, else the oldest. The keys of the others end with a space and the id.
    func updateKeys() throws(SQLiteError) {
        for name in ["username", "email"] {
            let rows = try connection.rows("SELECT id, \(name), \(name)_key FROM users ORDER BY rowid") {
                (id: $0.text(0), name: $0.optionalText(1), key: $0.optionalText(2))
            }
            for row in rows {
                guard let key = row.name.map(Self.key), key != row.key else { continue }
                for key in [key, "\(key) \(row.id)"] {
                    let sql = "UPDATE OR IGNORE users SET \(name)_key = ? WHERE id = ?"
                    if try connection.run(sql, [.text(key), .text(row.id)]) > 0 { break }
                }
            }
        }
    }

    private func user(where condition: String, _ values: [Value]) throws(SQLiteError) -> UserRow? {
        try connection.row("\(Self.select) WHERE \(condition)", values) { UserRow($0) }
    }

    private static let select =
        "SELECT id, username, email, email_verified, password_hash, created_at, updated_at, fields FROM users"
}

extension JSONObject {
    /// If the text was damaged by another program, an object without fields is better than an error.
    init(stored text: String) {
        self = text == "{}" ? [:] : (try? JSONValue(parsing: text.utf8))?.object ?? [:]
    }
}
