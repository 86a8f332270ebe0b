import CSQLite

/// A prepared statement, finalized on deinit.
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    /// - Throws: `SQLiteError`, for example for an unknown table or column, or for a file that is not a database.
    init(_ sql: String, in connection: OpaquePointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        // A cached statement is persistent, so SQLite must not allocate it from its small lookaside memory.
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, in: connection) }
        guard let handle else {
            throw SQLiteError(code: ResultCode(rawValue: SQLITE_MISUSE), message: "a statement without SQL")
        }
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs the statement from the start, and calls `row` for each row.
    ///
    /// Then resets the statement, which ends its implicit transaction. Clears the parameters, so that a cached
    /// statement keeps no secret.
    func run(_ values: [Value], row: (borrowing Row) -> Void) throws(SQLiteError) {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        try bind(values)
        while try step() { row(Row(statement: handle)) }
    }

    private func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(code: code, in: connection)
        }
    }

    private func bind(_ values: [Value]) throws(SQLiteError) {
        precondition(
            values.count == Int(sqlite3_bind_parameter_count(handle)), "as many values as the statement has parameters")
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw SQLiteError(code: code, in: connection) }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .text(let text): bind(text, at: index)
        case .blob(let bytes): sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), copying)
        }
    }

    /// Binds the text with its length, because it may contain NUL.
    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { bytes in
                // An empty buffer may have no address, and SQLite binds a null pointer as NULL.
                guard let start = bytes.baseAddress else { return sqlite3_bind_text(handle, index, "", 0, copying) }
                return sqlite3_bind_text64(handle, index, start, UInt64(bytes.count), copying, UInt8(SQLITE_UTF8))
            }
        }
    }
}

/// `SQLITE_TRANSIENT`, a C cast that Swift does not import: SQLite copies the bytes before the call returns.
private var copying: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
