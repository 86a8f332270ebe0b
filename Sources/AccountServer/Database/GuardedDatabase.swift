import CSQLite
import Platform
package import SQLite

/// The connection to the database of a server. One thread at a time uses it, for a statement or for a transaction, and
/// never while it hashes a password, waits for another server or writes to a socket.
// Unchecked because of the connection, which is used only while the mutex is locked.
package final class GuardedDatabase: @unchecked Sendable {
    private let connection: DatabaseConnection
    private let mutex = RecursiveMutex()
    private let patience: Duration

    /// - Parameter patience: how long work waits for the locks of other processes, in addition to the busy timeout of the
    ///   connection. The threads of this process can use the database meanwhile.
    package init(_ connection: DatabaseConnection, patience: Duration = .zero) {
        self.connection = connection
        self.patience = patience
    }

    /// Runs one statement, and returns the number of rows that it inserted, changed or deleted.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws(RouteError) -> Int {
        try use { connection throws(SQLiteError) in try connection.run(sql, values) }
    }

    /// The first row of one statement; `nil` without rows.
    func row<Element>(
        _ sql: String, _ values: [Value], _ read: (borrowing Row) -> Element
    ) throws(RouteError) -> Element? {
        try use { connection throws(SQLiteError) in try connection.row(sql, values, read) }
    }

    /// All rows of one statement.
    func rows<Element>(
        _ sql: String, _ values: [Value], _ read: (borrowing Row) -> Element
    ) throws(RouteError) -> [Element] {
        try use { connection throws(SQLiteError) in try connection.rows(sql, values, read) }
    }

    /// Runs `body` in a transaction: commits if it returns, and rolls back if it throws, even for a rejected request.
    ///
    /// - Parameter isDurable: whether the transaction must outlast a power failure; it always outlasts the process.
    func transaction<Result>(
        isDurable: Bool = true, _ body: () throws(RouteError) -> Result
    ) throws(RouteError) -> Result {
        var failure: RouteError?
        do throws(RouteError) {
            return try use { connection throws(SQLiteError) in
                let guarded = { () throws(SQLiteError) in
                    do throws(RouteError) {
                        return try body()
                    } catch {
                        failure = error
                        // Rolls the transaction back; the `catch` below replaces this error.
                        throw SQLiteError(code: ResultCode(rawValue: SQLITE_ABORT), message: "undone")
                    }
                }
                return try isDurable ? connection.transaction(guarded) : connection.unsyncedTransaction(guarded)
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Runs `body` while no other thread uses the connection. Calls may be nested.
    ///
    /// - Parameter body: starts again from its beginning if another process has locked the database.
    func use<Result>(_ body: (DatabaseConnection) throws(SQLiteError) -> Result) throws(RouteError) -> Result {
        var end: Duration?
        while true {
            var isNested = false
            do throws(SQLiteError) {
                return try mutex.withLock { nested throws(SQLiteError) in
                    isNested = nested
                    return try body(connection)
                }
            } catch {
                let now = monotonicNow()
                end = end ?? now + patience
                guard error.code.primary == SQLITE_BUSY, !isNested, let end, now < end else { throw .database(error) }
                pause(.milliseconds(20))
            }
        }
    }
}
