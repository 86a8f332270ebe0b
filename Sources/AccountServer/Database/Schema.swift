internal import SQLite

/// The tables of the local accounts, and the marks that identify the database.
enum Schema {
    /// `PRAGMA application_id`: "auct" in ASCII.
    static let applicationID: Int64 = 0x6175_6374
    /// `PRAGMA user_version`.
    static let version: Int64 = 2

    enum State: Equatable {
        /// No tables and no marks.
        case fresh
        case current
        /// Created by an earlier version of authctl.
        case older(Int64)
        case newer(Int64)
        /// The database of another program.
        case foreign
    }

    /// The state of the file, read in one snapshot: another process may be creating the tables.
    static func state(of connection: DatabaseConnection) throws(SQLiteError) -> State {
        try connection.snapshot { () throws(SQLiteError) in try readState(connection) }
    }

    private static func readState(_ connection: DatabaseConnection) throws(SQLiteError) -> State {
        let application = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        if application == applicationID && version == Self.version { return .current }
        if application == applicationID && version > Self.version { return .newer(version) }
        if application == applicationID && migrations[version] != nil { return .older(version) }
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        return application == 0 && version == 0 && tables == 0 ? .fresh : .foreign
    }

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
            for version in try connection.integer("PRAGMA user_version")..<version {
                try connection.execute(migrations[version] ?? "")
            }
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
        """
    ]
}
