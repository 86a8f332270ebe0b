import CSQLite

/// An error that SQLite reported.
package struct SQLiteError: Error, Equatable {
    package let code: ResultCode
    /// SQLite's message, in English; may quote SQL, but never a bound value.
    package let message: String
    /// The `errno` of the connection's most recent failed system call; 0 if none is known.
    package let systemError: Int32

    package init(code: ResultCode, message: String, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemError = systemError
    }

    /// Creates the error from a result code and, if possible, the last error of the connection.
    init(code: Int32, in handle: OpaquePointer?) {
        self.init(
            code: ResultCode(rawValue: code),
            message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code)),
            systemError: handle.map { sqlite3_system_errno($0) } ?? 0)
    }
}

/// An extended result code of SQLite. Source: sqlite.org/rescode.html.
package struct ResultCode: RawRepresentable, Sendable, Equatable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The primary result code, such as `SQLITE_IOERR` for `SQLITE_IOERR_FSYNC`.
    package var primary: Int32 { rawValue & 0xFF }
}
