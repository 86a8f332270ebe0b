internal import SQLite

/// The tables of the local accounts, and the application id and version that identify the database.
enum Schema {
    /// `PRAGMA application_id`: "auct" in ASCII.
    static let applicationID: Int64 = 0x6175_6374
    /// `PRAGMA user_version`.
    static let version: Int64 = 4

    enum State: Equatable {
        /// No tables, application id or version.
        case fresh
        case current
        /// Created by a version of authctl with a different schema version.
        case other(Int64)
        /// The database of another program.
        case foreign
    }

    /// The state of the database, read in one snapshot because another process may be creating the tables.
    static func state(of connection: DatabaseConnection) throws(SQLiteError) -> State {
        try connection.snapshot { () throws(SQLiteError) in
            let application = try connection.integer("PRAGMA application_id")
            let version = try connection.integer("PRAGMA user_version")
            if application == applicationID { return version == Self.version ? .current : .other(version) }
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
            return application == 0 && version == 0 && tables == 0 ? .fresh : .foreign
        }
    }

    /// Creates all tables in one transaction, so that a killed process leaves no incomplete schema.
    static func create(in connection: DatabaseConnection) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute(tables)
            try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
        }
    }

    /// Times are milliseconds since 1970. `username_key` and `email_key` are results of `Users.key`. A user without
    /// `password_hash` cannot log in with a password. `fields` is a JSON object with the fields that clients added.
    /// Session and mail tokens are stored as hashes, see `SessionToken`.
    private static let tables = """
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
            installation_id TEXT,
            fields TEXT NOT NULL DEFAULT '{}'
        ) STRICT;
        CREATE INDEX sessions_of_user ON sessions (user_id, created_at);
        CREATE INDEX sessions_by_expiry ON sessions (expires_at);
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
        CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);
        """
}
