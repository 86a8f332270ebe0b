import CSQLite
import Platform
package import SQLite

/// The connection to the database of a server. One thread at a time uses it, for a statement or for a transaction, and
/// never while it hashes a password, waits for another server or writes to a socket.
// Unchecked because of the connection, which is used only while the mutex is locked.
package final class GuardedDatabase: @unchecked Sendable {
    /// Use it only in `run`.
    let connection: DatabaseConnection
    private let mutex = RecursiveMutex()
    private let patience: Duration

    /// - Parameter patience: how long work waits for the locks of other processes, in addition to the busy timeout of the
    ///   connection. The threads of this process can use the database meanwhile.
    package init(_ connection: DatabaseConnection, patience: Duration = .zero) {
        self.connection = connection
        self.patience = patience
    }

    /// Runs `body` in a transaction, see `DatabaseConnection.transaction`.
    func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try run { () throws(SQLiteError) in try connection.transaction(body) }
    }

    /// Runs `body` while no other thread uses the database. Calls may be nested.
    ///
    /// - Parameter body: starts again from its beginning if another process has locked the database.
    func run<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        var end: Duration?
        while true {
            var isNested = false
            do throws(SQLiteError) {
                return try mutex.withLock { nested throws(SQLiteError) in
                    isNested = nested
                    return try body()
                }
            } catch {
                let now = monotonicNow()
                end = end ?? now + patience
                guard error.code.primary == SQLITE_BUSY, !isNested, let end, now < end else { throw error }
                pause(.milliseconds(20))
            }
        }
    }
}
