import CSQLite
package import Platform
package import SQLite
package import Transport

/// Opens the database of the local accounts; creates it if it is missing.
package enum AccountDatabase {
    /// Opens the database.
    ///
    /// Several processes may call this at the same time. A database of the current version is opened without a lock. A
    /// missing or empty database is created under the lock of the folder. A file of another program is never changed.
    ///
    /// - Parameter file: the database file; `nil` for a new database in memory.
    /// - Throws: `TransportError` of kind `storage` or `outOfMemory`.
    package static func open(_ file: FileLocation?, busyTimeout: Duration) throws(TransportError) -> DatabaseConnection
    {
        guard let file else { return try makeInMemory() }
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        let folder = try onDisk { () throws(FileError) in try file.folder.lock(patience: busyTimeout) }
        return try create(file, busyTimeout, in: folder)
    }

    private static func create(
        _ file: FileLocation, _ busyTimeout: Duration, in folder: borrowing LockedFolder
    ) throws(TransportError) -> DatabaseConnection {
        // Check again under the lock, because another process may have created the database meanwhile.
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        // SQLite would create the file with a different mode.
        if try size(of: file) == nil { try onDisk { () throws(FileError) in try folder.create(file.name) } }
        let connection = try connect(file, busyTimeout)
        try inDatabase(file) { () throws(SQLiteError) in
            try connection.execute("PRAGMA journal_mode = WAL")
            try Schema.create(in: connection)
        }
        return connection
    }

    /// Opens the database for a request with a session token. Throws if it is missing or empty: a new one has
    /// no sessions.
    static func openExisting(_ file: FileLocation, busyTimeout: Duration) throws(TransportError) -> DatabaseConnection {
        guard try size(of: file) ?? 0 > 0 else { throw StorageProblem.missing(file.path) }
        return try open(file, busyTimeout: busyTimeout)
    }

    /// Opens the database for reading alone, without the WAL index, which SQLite cannot create on a full disk; `nil` if
    /// there is a WAL, which may contain newer pages.
    static func openToRead(_ file: FileLocation) throws(TransportError) -> DatabaseConnection? {
        try hasLog(file) ? nil : connect(file, .zero, isImmutable: true)
    }

    /// Creates a database in memory. With `temp_store`, SQLite also keeps temporary data in memory, not in files.
    private static func makeInMemory() throws(TransportError) -> DatabaseConnection {
        do throws(SQLiteError) {
            let connection = try DatabaseConnection(opening: ":memory:", busyTimeout: .zero)
            try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON")
            try Schema.create(in: connection)
            return connection
        } catch {
            throw StorageProblem.translate(error, "memory")
        }
    }

    /// - Returns: `nil` if the file is missing, or has no tables yet.
    /// - Throws: `TransportError` if the file cannot be read, or is not a database of this version.
    private static func openIfReady(
        _ file: FileLocation, _ busyTimeout: Duration
    ) throws(TransportError) -> DatabaseConnection? {
        guard try size(of: file) ?? 0 > 0 else { return nil }
        let connection = try connect(file, busyTimeout)
        let state = try inDatabase(file) { () throws(SQLiteError) in try Schema.state(of: connection) }
        switch state {
        case .current:
            try onDisk { () throws(FileError) in try file.folder.removeReadPermission(of: file.name) }
            return connection
        case .fresh: return nil
        case .other(let version): throw StorageProblem.otherVersion(file.path, version)
        case .foreign: throw StorageProblem.corrupt(file.path, "it belongs to another program")
        }
    }

    private static func size(of file: FileLocation) throws(TransportError) -> Int? {
        try onDisk { () throws(FileError) in try file.folder.size(of: file.name) }
    }

    /// Whether there is a nonempty WAL file. The WAL may contain pages that the database file lacks, for example after
    /// a crash.
    private static func hasLog(_ file: FileLocation) throws(TransportError) -> Bool {
        try onDisk { () throws(FileError) in try file.folder.size(of: "\(file.name)-wal") ?? 0 } > 0
    }

    private static func connect(
        _ file: FileLocation, _ busyTimeout: Duration, isImmutable: Bool = false
    ) throws(TransportError) -> DatabaseConnection {
        // SQLite rejects symbolic links. Resolve those in the folder's path; the file itself must not be a link.
        let folder = try onDisk { () throws(FileError) in try file.folder.resolvedPath() }
        // On a read-only file system, SQLite cannot create the WAL and its index, which it needs even for reading. In
        // that case, open a database without a WAL as immutable.
        let isImmutable = isImmutable ? true : file.folder.isReadOnly ? try !hasLog(file) : false
        return try inDatabase(file) { () throws(SQLiteError) in
            let connection = try DatabaseConnection(
                opening: "\(folder)/\(file.name)", busyTimeout: busyTimeout, isImmutable: isImmutable)
            // In WAL mode, commits survive a power failure only if `synchronous` is `FULL`.
            try connection.execute(
                "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF")
            #if canImport(Darwin)
                // On Darwin, `fsync` does not flush the cache of the drive.
                try connection.execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
            #endif
            return connection
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
            // The cause of SQLITE_CANTOPEN may be a WAL or WAL index left by a program that ran as another user. If so,
            // `size` throws an error that names that file.
            for suffix in ["-wal", "-shm"] where error.code.primary == SQLITE_CANTOPEN {
                _ = try onDisk { () throws(FileError) in try file.folder.size(of: file.name + suffix) }
            }
            throw StorageProblem.translate(error, file.path)
        }
    }
}
