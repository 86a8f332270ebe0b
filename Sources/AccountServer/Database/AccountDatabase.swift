package import SQLite
package import Transport

/// Opens the database of the embedded accounts, and creates it where there is none.
package enum AccountDatabase {
    /// Opens the database at `path`.
    ///
    /// Any number of processes may do so at once, also while there is no file yet: what is ready is opened without a
    /// lock, and everything else happens under the lock of the folder. A file that is not ours is left as it is.
    ///
    /// - Throws: `TransportError` of kind `storage`.
    package static func open(_ path: String, busyTimeout: Duration) throws(TransportError) -> Connection {
        let file = try DatabaseFile(path)
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        return try create(file, busyTimeout)
    }

    /// `nil`: there is no file, or none with our tables yet.
    private static func openIfReady(
        _ file: DatabaseFile, _ busyTimeout: Duration
    ) throws(TransportError) -> Connection? {
        // SQLite must not see an empty file outside the lock: it would be one more reader in the creator's way.
        guard case .present = try file.inspect() else { return nil }
        let (connection, state) = try translating(file) { () throws(SQLiteError) in
            let connection = try connect(file, busyTimeout)
            return (connection, try Schema.state(of: connection))
        }
        switch state {
        case .current: return connection
        case .fresh: return nil
        case .newer(let version): throw StorageProblem.newerVersion(file.path, version)
        case .foreign: throw StorageProblem.corrupt(file.path, "it belongs to another program")
        }
    }

    private static func create(_ file: DatabaseFile, _ busyTimeout: Duration) throws(TransportError) -> Connection {
        let lock = try lock(file, busyTimeout)
        // Again, because another process may have been faster.
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        if case .missing = try file.inspect() { try file.create() }
        let connection = try translating(file) { () throws(SQLiteError) in
            let connection = try connect(file, busyTimeout)
            try switchToWAL(connection, busyTimeout)
            try Schema.create(in: connection)
            return connection
        }
        do {
            try lock.synchronize()
        } catch {
            throw StorageProblem.notWritten(file.path, error)
        }
        return connection
    }

    private static func lock(_ file: DatabaseFile, _ timeout: Duration) throws(TransportError) -> FolderLock {
        do {
            return try FolderLock(file.folder, timeout: timeout)
        } catch {
            throw StorageProblem.notWritten(file.path, error)
        }
    }

    private static func connect(_ file: DatabaseFile, _ busyTimeout: Duration) throws(SQLiteError) -> Connection {
        let connection = try Connection(opening: file.resolvedPath, busyTimeout: busyTimeout)
        // FULL is what survives a power cut.
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        return connection
    }

    /// Kept in the file, so it is done once.
    ///
    /// SQLite does not wait in this one statement, for fear of a deadlock, and a process that just looked at the file
    /// without the lock may be in the way for a moment.
    private static func switchToWAL(_ connection: Connection, _ timeout: Duration) throws(SQLiteError) {
        let deadline = Deadline(in: timeout)
        while true {
            do {
                return try connection.execute("PRAGMA journal_mode = WAL")
            } catch {
                guard error.isBusy, deadline.pause() else { throw error }
            }
        }
    }

    private static func translating<Result>(
        _ file: DatabaseFile, _ body: () throws(SQLiteError) -> Result
    ) throws(TransportError) -> Result {
        do {
            return try body()
        } catch {
            throw StorageProblem.translate(error, file.path)
        }
    }
}
