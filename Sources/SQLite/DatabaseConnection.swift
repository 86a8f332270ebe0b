import CSQLite

/// A connection to a database, closed on deinit. Use it from one thread at a time.
package final class DatabaseConnection {
    private let handle: OpaquePointer
    /// The prepared statements, keyed by their SQL.
    private var statements: [String: Statement] = [:]

    /// Opens an existing file for reading and writing, or a new database in memory if the path is `:memory:`. The path
    /// must not contain symbolic links.
    ///
    /// Triggers and views in the file are disabled. If the file is not writable, SQLite opens it read-only. A file that
    /// is not a database is accepted, because SQLite does not read the content before the first statement.
    ///
    /// - Parameters:
    ///   - busyTimeout: how long a statement waits for the locks of other connections.
    ///   - isImmutable: whether no process can change the file; SQLite then reads it without locks and without its WAL.
    /// - Throws: `SQLiteError` with `SQLITE_CANTOPEN` if the file is missing or unreadable.
    package init(opening path: String, busyTimeout: Duration, isImmutable: Bool = false) throws(SQLiteError) {
        _ = Self.configuration
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
        let code =
            isImmutable
            ? sqlite3_open_v2(Self.immutable(path), &handle, flags | SQLITE_OPEN_URI, nil)
            : sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code: code, in: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(busyTimeout / .milliseconds(1)))
        ignore_triggers_and_views(handle)
        self.handle = handle
    }

    /// Evaluated once, before the first connection is opened, because SQLite can be configured only then.
    private static let configuration: Void = disable_memory_statistics()

    /// Returns the URI of an immutable database. Source: sqlite.org/uri.html, "The URI Path".
    private static func immutable(_ path: String) -> String {
        let escapes: [Unicode.Scalar: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file:\(path.unicodeScalars.map { escapes[$0] ?? String($0) }.joined())?immutable=1"
    }

    deinit {
        // Finalize the statements first. Otherwise, `sqlite3_close_v2` would only mark the connection for closing.
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs one or more SQL statements that have no parameters and whose rows are not needed.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, in: handle) }
    }

    /// Runs one statement.
    ///
    /// - Returns: the number of rows that an INSERT, UPDATE or DELETE changed; meaningless for other statements.
    @discardableResult
    package func run(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int {
        try statement(sql).run(values) { _ in }
        return Int(sqlite3_changes(handle))
    }

    /// Returns all rows of one statement. `read` must not run the same statement again.
    package func rows<Element>(
        _ sql: String, _ values: [Value] = [], _ read: (borrowing Row) -> Element
    ) throws(SQLiteError) -> [Element] {
        var elements: [Element] = []
        try forEachRow(sql, values) { elements.append(read($0)) }
        return elements
    }

    /// Calls `read` for each row of one statement. `read` must not run the same statement again.
    package func forEachRow(
        _ sql: String, _ values: [Value], _ read: (borrowing Row) -> Void
    ) throws(SQLiteError) {
        try statement(sql).run(values, row: read)
    }

    /// Returns the first row of one statement; `nil` if there are no rows.
    package func row<Element>(
        _ sql: String, _ values: [Value] = [], _ read: (borrowing Row) -> Element
    ) throws(SQLiteError) -> Element? {
        var element: Element?
        try forEachRow(sql, values) { if element == nil { element = read($0) } }
        return element
    }

    /// Returns the number from a statement such as `SELECT count(*)` or `PRAGMA user_version`; 0 if there are no rows.
    package func integer(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int64 {
        try row(sql, values) { $0.integer(0) } ?? 0
    }

    /// Replaces the content of this database with a copy of another database, in one transaction. Both connections stay
    /// open, and a database file keeps its journal mode. Source: sqlite.org/backup.html.
    ///
    /// If the process is killed during the copy, the old content stays. An in-memory database must have the page size
    /// of the file to which it is copied.
    package func copyContent(of source: DatabaseConnection) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw SQLiteError(code: sqlite3_errcode(handle), in: handle)
        }
        // Copy all pages in one step, so that no other connection can change the source in the meantime.
        let stepped = sqlite3_backup_step(backup, -1)
        let finished = sqlite3_backup_finish(backup)
        guard stepped == SQLITE_DONE else {
            throw finished == SQLITE_OK
                ? SQLiteError(code: stepped, in: nil) : SQLiteError(code: finished, in: handle)
        }
    }

    /// Runs `body` in a transaction; commits if `body` returns, rolls back if it throws.
    ///
    /// The transaction takes the write lock first, so data that `body` reads stays current until `body` writes.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try run("BEGIN IMMEDIATE", body)
    }

    /// Runs `body`, which only reads, on one consistent snapshot of the database.
    package func snapshot<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try run("BEGIN", body)
    }

    private func run<Result>(
        _ begin: String, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        // Unlike `execute`, `run` reuses prepared statements.
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors, SQLite has already rolled back. `try?`: if the explicit rollback fails, closing the
            // connection undoes the changes. The first error is the one to report.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    private func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, in: handle)
        statements[sql] = statement
        return statement
    }
}
