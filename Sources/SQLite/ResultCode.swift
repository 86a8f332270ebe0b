/// An extended result code of SQLite. Source: sqlite.org/rescode.html.
package struct ResultCode: RawRepresentable, Sendable, Equatable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its detail: `SQLITE_IOERR` for `SQLITE_IOERR_FSYNC`.
    package var primary: Int32 { rawValue & 0xFF }
}
