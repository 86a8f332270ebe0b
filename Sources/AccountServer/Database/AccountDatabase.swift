package import Platform
package import SQLite
package import Transport

/// Opens the database of the embedded accounts, creates it where there is none, and brings an older one up to date.
package enum AccountDatabase {
    /// Opens the database.
    ///
    /// Any number of processes may do so at once, also while there is no file yet: what is ready is opened without a
    /// lock, and everything else happens under the lock of the folder. A file that is not ours is left as it is.
    ///
    /// - Throws: `TransportError` of kind `storage`.
    package static func open(_ file: FileLocation, busyTimeout: Duration) throws(TransportError) -> Connection {
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        return try create(file, busyTimeout)
    }

    /// `nil`: there is no file, or none with our tables yet, or with those of an earlier version.
    private static func openIfReady(
        _ file: FileLocation, _ busyTimeout: Duration
    ) throws(TransportError) -> Connection? {
        // SQLite must not see an empty file outside the lock: it would be one more reader in the creator's way.
        let size = try onDisk { () throws(FileError) in try file.folder.size(of: file.name) }
        guard let size, size > 0 else { return nil }
        // SQLite would take so few bytes for an empty database, and write over them.
        guard size >= smallestPage else { throw StorageProblem.corrupt(file.path, "it is not an account database") }
        let connection = try connect(file, busyTimeout)
        let state = try inDatabase(file) { () throws(SQLiteError) in try Schema.state(of: connection) }
        switch state {
        case .current: return connection
        case .fresh, .older: return nil
        case .newer(let version): throw StorageProblem.newerVersion(file.path, version)
        case .foreign: throw StorageProblem.corrupt(file.path, "it belongs to another program")
        }
    }

    /// Bytes; no database of SQLite is smaller. Source: sqlite.org/fileformat2.html, "Pages".
    private static let smallestPage = 512

    /// Creates the database, or migrates it.
    private static func create(_ file: FileLocation, _ busyTimeout: Duration) throws(TransportError) -> Connection {
        let folder = try onDisk { () throws(FileError) in try file.folder.lock(patience: busyTimeout) }
        // Again, because another process may have been faster.
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        try onDisk { () throws(FileError) in
            if try file.folder.size(of: file.name) == nil { try folder.create(file.name) }
        }
        let connection = try connect(file, busyTimeout)
        try inDatabase(file) { () throws(SQLiteError) in
            try switchToWAL(connection, busyTimeout)
            if try Schema.state(of: connection) == .fresh {
                try Schema.create(in: connection)
            } else {
                try Schema.migrate(connection)
            }
        }
        try onDisk { () throws(FileError) in try folder.synchronize() }
        return connection
    }

    private static func connect(_ file: FileLocation, _ busyTimeout: Duration) throws(TransportError) -> Connection {
        // The folder may be reached through a link, the file may not.
        let folder = try onDisk { () throws(FileError) in try file.folder.resolvedPath() }
        return try inDatabase(file) { () throws(SQLiteError) in
            let connection = try Connection(opening: "\(folder)/\(file.name)", busyTimeout: busyTimeout)
            // FULL is what survives a power cut.
            try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
            return connection
        }
    }

    /// Kept in the file, so it is done once.
    ///
    /// SQLite does not wait in this one statement, for fear of a deadlock, and a process that just looked at the file
    /// without the lock may be in the way for a moment.
    private static func switchToWAL(_ connection: Connection, _ patience: Duration) throws(SQLiteError) {
        let end = monotonicNow() + patience
        while true {
            do {
                return try connection.execute("PRAGMA journal_mode = WAL")
            } catch {
                guard error.isBusy, monotonicNow() < end else { throw error }
                pause(milliseconds: 2)
            }
        }
    }

    private static func onDisk<Result: ~Copyable>(
        _ body: () throws(FileError) -> Result
    ) throws(TransportError) -> Result {
        do {
            return try body()
        } catch {
            throw TransportError(error)
        }
    }

    private static func inDatabase<Result>(
        _ file: FileLocation, _ body: () throws(SQLiteError) -> Result
    ) throws(TransportError) -> Result {
        do {
            return try body()
        } catch {
            throw StorageProblem.translate(error, file.path)
        }
    }
}
