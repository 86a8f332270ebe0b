import CSodium
import JSON
internal import Platform
internal import SQLite

/// The table `sessions`.
struct Sessions {
    let database: GuardedDatabase

    /// Adds a session. Deletes the user's earlier session of the same installation, and calls `deleteExpired`.
    func insert(_ session: SessionRow, token: SessionToken) throws(RequestError) {
        try deleteExpired(at: session.createdAt)
        if let installation = session.installationID {
            let sql = "DELETE FROM sessions WHERE user_id = ? AND installation_id = ?"
            try database.run(sql, [.text(session.userID), .text(installation)])
        }
        try database.run(
            """
            INSERT INTO sessions (id, user_id, token_hash, created_at, updated_at, expires_at, created_action,
                auth_provider, installation_id, fields)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(session.id), .text(session.userID), .blob(token.hash), .integer(session.createdAt.milliseconds),
                .integer(session.updatedAt.milliseconds), .integer(session.expiresAt.milliseconds),
                .text(session.origin.action), Value(session.origin.authProvider), Value(session.installationID),
                .text(JSONValue.object(session.fields).text),
            ])
    }

    /// Deletes the sessions that expired at least a day ago. Until then, clients receive the error for an expired
    /// session instead of the error for an unknown token.
    func deleteExpired(at now: Instant) throws(RequestError) {
        let end = now.adding(.seconds(-24 * 3600))
        try database.run("DELETE FROM sessions WHERE expires_at <= ?", [.integer(end.milliseconds)])
    }

    /// Returns the caller with this token, even if the session has expired. Uses a single SQL statement, because almost
    /// every request calls this.
    func caller(_ token: SessionToken) throws(RequestError) -> Caller? {
        var identities: [Identity] = []
        // The result has one row for each identity, and one row for a user without identities.
        let callers = try database.rows(Self.selectCaller, [.blob(token.hash)]) { row in
            if let provider = row.optionalText(11) { identities.append(Identity(provider: provider, id: row.text(12))) }
            return Caller(
                token: token, sessionID: row.text(0), expiresAt: Instant(milliseconds: row.integer(1)),
                installationID: row.optionalText(2), user: UserRow(row, from: 3), identities: [])
        }
        guard var caller = callers.first else { return nil }
        caller.identities = identities
        return caller
    }

    func session(id: String, of userID: String) throws(RequestError) -> SessionRow? {
        try database.row("\(Self.select) WHERE id = ? AND user_id = ?", [.text(id), .text(userID)]) { SessionRow($0) }
    }

    /// All sessions of a user in the order of creation, including expired ones.
    func sessions(of userID: String) throws(RequestError) -> [SessionRow] {
        let sql = "\(Self.select) WHERE user_id = ? ORDER BY rowid"
        return try database.rows(sql, [.text(userID)]) { SessionRow($0) }
    }

    /// The size in bytes of the stored fields of all sessions of a user.
    func size(of userID: String) throws(RequestError) -> Int64 {
        let sql = "SELECT sum(length(CAST(fields AS BLOB))) FROM sessions WHERE user_id = ?"
        return try database.row(sql, [.text(userID)]) { $0.integer(0) } ?? 0
    }

    /// - Returns: whether the user had a session with this id.
    func delete(id: String, of userID: String) throws(RequestError) -> Bool {
        try database.run("DELETE FROM sessions WHERE id = ? AND user_id = ?", [.text(id), .text(userID)]) > 0
    }

    func deleteAll(of userID: String) throws(RequestError) {
        try database.run("DELETE FROM sessions WHERE user_id = ?", [.text(userID)])
    }

    func setFields(_ fields: JSONObject, of id: String, at now: Instant) throws(RequestError) {
        try database.run(
            "UPDATE sessions SET fields = ?, updated_at = ? WHERE id = ?",
            [.text(JSONValue.object(fields).text), .integer(now.milliseconds), .text(id)])
    }

    private static let select = """
        SELECT id, user_id, created_at, updated_at, expires_at, created_action, auth_provider, installation_id, fields
        FROM sessions
        """
    private static let selectCaller = """
        SELECT s.id, s.expires_at, s.installation_id, u.id, u.username, u.email, u.email_verified, u.password_hash,
            u.created_at, u.updated_at, u.fields, i.provider, i.id
        FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN identities i ON i.user_id = u.id
        WHERE s.token_hash = ?
        ORDER BY i.provider
        """
}

/// A row of `sessions`. It has no token, because the database stores only the token's hash.
struct SessionRow {
    let id: String
    let userID: String
    let createdAt: Instant
    let updatedAt: Instant
    let expiresAt: Instant
    let origin: SessionOrigin
    /// The id that the client chose for its installation.
    let installationID: String?
    /// The fields that the client added.
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
    /// `signup`, `login`, `create` or `upgrade`.
    let action: String
    /// `password`, `anonymous`, a provider's name, or `masterkey` for `/loginAs`; `nil` if the session was created with
    /// another session's token.
    let authProvider: String?

    static let signUp = SessionOrigin(action: "signup", authProvider: "password")
    static let logIn = SessionOrigin(action: "login", authProvider: "password")
    /// Created with the token of another session.
    static let created = SessionOrigin(action: "create", authProvider: nil)
    static let upgraded = SessionOrigin(action: "upgrade", authProvider: nil)

    /// Parse uses the action "login" even if the user is new.
    static func provider(_ name: String) -> SessionOrigin { SessionOrigin(action: "login", authProvider: name) }
}

/// The sender of a request, authenticated by a session token.
struct Caller {
    let token: SessionToken
    let sessionID: String
    let expiresAt: Instant
    /// The installation id of the session, if the client sent one.
    let installationID: String?
    var user: UserRow
    var identities: [Identity]

    var userID: String { user.id }
}

/// The secret that authenticates a session.
///
/// Format: `r:` and 32 hexadecimal digits (128 random bits), as in Parse. No other string matches a session.
struct SessionToken {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(from randomness: Randomness) {
        self.init("r:" + randomness.hex(byteCount: 16))
    }

    /// The stored form of the token: BLAKE2b, 32 bytes. It needs neither salt nor work factor, because 128 random bits
    /// cannot be guessed. A leaked database contains no usable tokens.
    var hash: [UInt8] { text.blake2b }
}

extension String {
    /// The BLAKE2b hash of the text, 32 bytes.
    var blake2b: [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        var text = self
        text.withUTF8 { bytes in
            _ = crypto_generichash(&hash, hash.count, bytes.baseAddress, UInt64(bytes.count), nil, 0)
        }
        return hash
    }
}

/// Ids of users and sessions: 10 characters of A-Z, a-z, 0-9, as in Parse. Generated usernames have 25 characters.
enum ObjectID {
    static func make(from randomness: Randomness, length: Int = 10) -> String {
        var characters: [UInt8] = []
        while characters.count < length {
            // 248 is a multiple of 62. Bytes from 248 to 255 would favor the first characters of `alphabet`.
            let fair = randomness.bytes(16).filter { $0 < 248 }
            characters += fair.map { alphabet[Int($0) % alphabet.count] }
        }
        return String(decoding: characters.prefix(length), as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}
