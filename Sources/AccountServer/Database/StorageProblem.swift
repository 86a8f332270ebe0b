import CSQLite
import Platform
internal import SQLite
internal import Transport

/// Errors of the account database.
enum StorageProblem {
    static func missing(_ path: String) -> TransportError {
        TransportError(
            .storage(.unreadable), "account database '\(path)' is missing or empty",
            hint: "check AUTHCTL_DATA_DIR; the next signup creates a new database")
    }

    static func corrupt(_ path: String, _ reason: String) -> TransportError {
        TransportError(
            .storage(.corrupt), "cannot use the account database '\(path)': \(reason)",
            hint: "restore the file from a backup, or move it away to start without accounts"
        )
    }

    static func otherVersion(_ path: String, _ version: Int64) -> TransportError {
        TransportError(
            .storage(.newerVersion),
            "cannot use the account database '\(path)': its version is \(version), and this authctl uses "
                + "\(Schema.version)",
            hints: ["use the authctl that made the file", "to start without accounts, move it away"])
    }

    static func noSpace(_ path: String) -> TransportError {
        TransportError(
            .storage(.noSpace), "cannot write the account database '\(path)': no space left",
            hint: "free some space and try again")
    }

    /// Translates an SQLite error. Source of the codes: sqlite.org/rescode.html.
    static func translate(_ error: SQLiteError, _ path: String) -> TransportError {
        let hint = "check the permissions of the file and its folder"
        return switch error.code.primary {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            TransportError(
                .storage(.locked), "cannot use the account database '\(path)': another process has locked it",
                hint: "try again later")
        case SQLITE_FULL: noSpace(path)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            TransportError(
                .storage(.unreadable), "cannot open the account database '\(path)': \(error.reason)", hint: hint)
        case SQLITE_NOTADB: corrupt(path, "it is not an account database")
        case SQLITE_IOERR where Errno(error.systemError).meansFull: noSpace(path)
        case SQLITE_NOMEM: .outOfMemory
        case SQLITE_IOERR, SQLITE_READONLY:
            TransportError(
                .storage(.notWritten), "cannot write the account database '\(path)': \(error.reason)", hint: hint)
        // SQLITE_CORRUPT, or a code such as SQLITE_ERROR or SQLITE_CONSTRAINT, which authctl's statements cause only if
        // the tables differ from `Schema`.
        default: corrupt(path, "it is corrupt (\(error.message))")
        }
    }
}

extension TransportError {
    /// The process ran out of memory. Neither the request nor the database is at fault.
    static let outOfMemory = TransportError(
        .outOfMemory, "out of memory", hint: "free some memory, or raise the limit of 'ulimit -v'")
}

extension SQLiteError {
    /// The operating system's message if there is one, otherwise SQLite's message.
    fileprivate var reason: String {
        systemError == 0 ? message : Errno(systemError).description
    }
}
