import CSQLite
import Platform
package import SQLite

/// The connection to a server's database. One thread at a time uses the connection, for one statement or transaction.
/// No thread holds the connection while hashing a password, waiting for another server or writing to a socket.
// `@unchecked`: the connection is used only while `mutex` is locked, which the compiler cannot verify.
package final class GuardedDatabase: @unchecked Sendable {
    private let connection: DatabaseConnection
    private let mutex = RecursiveMutex()

    package init(_ connection: DatabaseConnection) {
        self.connection = connection
    }

    /// Runs one statement, and returns the number of rows that it inserted, changed or deleted.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws(RequestError) -> Int {
        try use { connection throws(SQLiteError) in try connection.run(sql, values) }
    }

    /// Runs one statement, and returns the first row of the result; `nil` if the result is empty.
    func row<Element>(
        _ sql: String, _ values: [Value], _ read: (borrowing Row) -> Element
    ) throws(RequestError) -> Element? {
        try use { connection throws(SQLiteError) in try connection.row(sql, values, read) }
    }

    /// Runs one statement, and returns all rows of the result.
    func rows<Element>(
        _ sql: String, _ values: [Value], _ read: (borrowing Row) -> Element
    ) throws(RequestError) -> [Element] {
        try use { connection throws(SQLiteError) in try connection.rows(sql, values, read) }
    }

    /// Runs `body` in a transaction: commits if `body` returns, and rolls back if `body` throws, for example to reject
    /// a request.
    func transaction<Result>(_ body: () throws(RequestError) -> Result) throws(RequestError) -> Result {
        var failure: RequestError?
        do throws(RequestError) {
            return try use { connection throws(SQLiteError) in
                try connection.transaction { () throws(SQLiteError) in
                    do throws(RequestError) {
                        return try body()
                    } catch {
                        failure = error
                        // This error rolls the transaction back. The `catch` below throws `failure` instead.
                        throw SQLiteError(code: ResultCode(rawValue: SQLITE_ABORT), message: "undone")
                    }
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Runs `body` in a transaction that a power failure may undo, so that other threads do not wait for the disk.
    func quickTransaction<Value>(_ body: () throws(RequestError) -> Value) throws(RequestError) -> Value {
        try mutex.withLock { () throws(RequestError) in
            try use { connection throws(SQLiteError) in try connection.execute("PRAGMA synchronous = NORMAL") }
            let result = Result { () throws(RequestError) in try transaction(body) }
            try use { connection throws(SQLiteError) in try connection.execute("PRAGMA synchronous = FULL") }
            return try result.get()
        }
    }

    /// Runs `body` while no other thread uses the connection. Calls may be nested.
    func use<Result>(_ body: (DatabaseConnection) throws(SQLiteError) -> Result) throws(RequestError) -> Result {
        try mutex.withLock { () throws(RequestError) in
            do throws(SQLiteError) {
                return try body(connection)
            } catch {
                throw .database(error)
            }
        }
    }
}
