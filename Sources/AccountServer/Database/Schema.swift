import CSodium
internal import Platform
internal import SQLite

/// The tables of the local accounts, and the marks that identify the database.
enum Schema {
    /// `PRAGMA application_id`: "auct" in ASCII.
    static let applicationID: Int64 = 0x6175_6374
    /// `PRAGMA user_version`.
    static let version: Int64 = 3

    enum State: Equatable {
        /// No tables and no marks.
        case fresh
        case current
        /// Created by an earlier version of authctl.
        case older(Int64)
        case newer(Int64)
        /// The database of another program.
        case foreign
        /// A table, index, trigger or view that authctl did not create, such as `trigger 'log'`.
        case planted(String)
        /// A missing table or index, or a changed one.
        case changed(String)
    }

    /// The state of the file, read in one snapshot: another process may be creating the tables.
    static func state(of connection: DatabaseConnection) throws(SQLiteError) -> State {
        try connection.snapshot { () throws(SQLiteError) in try readState(connection) }
    }

    private static func readState(_ connection: DatabaseConnection) throws(SQLiteError) -> State {
        let application = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        if application == applicationID && version > Self.version { return .newer(version) }
        if application == applicationID && (version == Self.version || migrations[version] != nil) {
            // Before a migration, which would mark a changed database as current.
            return try difference(connection, version) ?? (version == Self.version ? .current : .older(version))
        }
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        return application == 0 && version == 0 && tables == 0 ? .fresh : .foreign
    }

    // MARK: - Comparison

    private struct Object {
        let kind: String
        let name: String
        let sql: String
        var title: String { "\(kind) '\(name)'" }
    }

    /// `nil`: the objects of the database are exactly those that authctl creates.
    private static func difference(
        _ connection: DatabaseConnection, _ version: Int64
    ) throws(SQLiteError) -> State? {
        let found = try objects(of: connection)
        if version == Self.version, digest(found) == digest { return nil }
        let expected = try objects(of: reference(version))
        for object in found where !expected.contains(where: { $0.title == object.title }) {
            return .planted(object.title)
        }
        return expected.first { object in !found.contains { $0.title == object.title && $0.sql == object.sql } }
            .map { .changed($0.title) }
    }

    /// `digest` of the objects of the current version, so that an unchanged database needs no second one to compare.
    static let digest = "5ddf356022b2ccc58c12ba4dc1185d8c"

    static func digest(of connection: DatabaseConnection) throws(SQLiteError) -> String {
        digest(try objects(of: connection))
    }

    private static func digest(_ objects: [Object]) -> String {
        let bytes = Array(objects.flatMap { [$0.kind, $0.name, $0.sql] }.joined(separator: "\0").utf8)
        var digest = [UInt8](repeating: 0, count: 16)
        crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
        return digest.hexadecimal
    }

    /// Without SQLite's own indexes and the tables of `ANALYZE`.
    private static func objects(of connection: DatabaseConnection) throws(SQLiteError) -> [Object] {
        try connection.rows(
            """
            SELECT type, name, sql FROM sqlite_schema
            WHERE sql IS NOT NULL AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
            ORDER BY type, name
            """
        ) { Object(kind: $0.text(0), name: $0.text(1), sql: $0.text(2)) }
    }

    private static func reference(_ version: Int64) throws(SQLiteError) -> DatabaseConnection {
        let connection = try DatabaseConnection(opening: ":memory:", busyTimeout: .zero)
        try connection.execute(firstTables)
        for earlier in 1..<version { try connection.execute(migrations[earlier] ?? "") }
        return connection
    }

    // MARK: - Creation

    /// Creates all tables in one transaction: if the process is killed, the database stays fresh.
    static func create(in connection: DatabaseConnection) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute(firstTables)
            for version in 1..<version { try connection.execute(migrations[version] ?? "") }
            try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
        }
    }

    /// Migrates from the current version of the file in one transaction: if the process is killed, the old database
    /// stays, and after a faster process there is nothing to do.
    static func migrate(_ connection: DatabaseConnection) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            let earlier = try connection.integer("PRAGMA user_version")
            for version in earlier..<version { try connection.execute(migrations[version] ?? "") }
            if earlier < 3 { try Users(connection: connection).updateKeys() }
            try connection.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Version 1.
    ///
    /// Times are milliseconds since 1970. Keys are usernames and addresses in the form compared for uniqueness, see
    /// `Users.key`. A user without `password_hash` cannot log in with a password. `fields` is a JSON object with the
    /// client's own fields. Session tokens are stored as hashes, see `SessionToken`.
    private static let firstTables = """
        CREATE TABLE users (
            id TEXT PRIMARY KEY,
            username TEXT NOT NULL,
            username_key TEXT NOT NULL UNIQUE,
            email TEXT,
            email_key TEXT UNIQUE,
            email_verified INTEGER,
            password_hash TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            fields TEXT NOT NULL
        ) STRICT;
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            token_hash BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            created_action TEXT NOT NULL,
            auth_provider TEXT,
            installation_id TEXT
        ) STRICT;
        CREATE INDEX sessions_of_user ON sessions (user_id, created_at);
        """

    /// The SQL that migrates from the version in the key to the next one.
    ///
    /// Version 2 adds a session's custom fields, a JSON object; the identities of users at providers; and the tokens of
    /// links in e-mails, stored as hashes, one per purpose.
    ///
    /// Version 3 adds the counters of the throttle, with keys of `Counters.Subject`, and indexes to delete what has
    /// expired. A mail token may have no user, see `MailTokens.insertDecoy`. The keys of users have no white space, see
    /// `Users.updateKeys`.
    private static let migrations: [Int64: String] = [
        1: """
        ALTER TABLE sessions ADD COLUMN fields TEXT NOT NULL DEFAULT '{}';
        CREATE TABLE identities (
            provider TEXT NOT NULL,
            id TEXT NOT NULL,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            PRIMARY KEY (provider, id),
            UNIQUE (user_id, provider)
        ) STRICT;
        CREATE TABLE mail_tokens (
            token_hash BLOB PRIMARY KEY,
            purpose TEXT NOT NULL,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL,
            UNIQUE (user_id, purpose)
        ) STRICT;
        """,
        2: """
        ALTER TABLE mail_tokens RENAME TO old_mail_tokens;
        CREATE TABLE mail_tokens (
            token_hash BLOB PRIMARY KEY,
            purpose TEXT NOT NULL,
            user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL,
            UNIQUE (user_id, purpose)
        ) STRICT;
        INSERT INTO mail_tokens SELECT token_hash, purpose, user_id, expires_at FROM old_mail_tokens;
        DROP TABLE old_mail_tokens;
        CREATE TABLE counters (
            key BLOB PRIMARY KEY,
            count INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX counters_by_expiry ON counters (expires_at);
        CREATE INDEX sessions_by_expiry ON sessions (expires_at);
        CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);
        """,
    ]
}
