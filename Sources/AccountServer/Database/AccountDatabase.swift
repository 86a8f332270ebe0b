import CSQLite
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
    package static func open(_ file: FileLocation, busyTimeout: Duration) throws(TransportError) -> DatabaseConnection {
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        return try create(file, busyTimeout)
    }

    /// Opens the database where there is one, and makes none: who asks about a session had one before.
    static func openExisting(_ file: FileLocation, busyTimeout: Duration) throws(TransportError) -> DatabaseConnection {
        let size = try onDisk { () throws(FileError) in try file.folder.size(of: file.name) }
        guard size != nil else { throw StorageProblem.missing(file.path) }
        return try open(file, busyTimeout: busyTimeout)
    }

    /// `nil`: there is no file, or one of an earlier version.
    private static func openIfReady(
        _ file: FileLocation, _ busyTimeout: Duration
    ) throws(TransportError) -> DatabaseConnection? {
        let size = try onDisk { () throws(FileError) in try file.folder.size(of: file.name) }
        guard let size else { return nil }
        // SQLite would take so few bytes for an empty database, and write over them; we never leave so few.
        guard size >= smallestPage else { throw StorageProblem.corrupt(file.path, "it is not an account database") }
        if size % pageSize != 0, try !hasLog(file) { throw StorageProblem.corrupt(file.path, "it is cut off") }
        let connection = try connect(file, busyTimeout)
        let state = try inDatabase(file) { () throws(SQLiteError) in try Schema.state(of: connection) }
        switch state {
        case .current: return connection
        case .older: return nil
        case .fresh: throw StorageProblem.corrupt(file.path, "it holds no accounts, as if emptied")
        case .newer(let version): throw StorageProblem.newerVersion(file.path, version)
        case .foreign: throw StorageProblem.corrupt(file.path, "it belongs to another program")
        }
    }

    /// Bytes; no database of SQLite is smaller. Source: sqlite.org/fileformat2.html, "Pages".
    private static let smallestPage = 512

    /// Bytes; SQLite takes what is missing of the last page for zeros.
    private static let pageSize = 4096

    /// Whether there are pages that the file itself may lack, as after a crash.
    private static func hasLog(_ file: FileLocation) throws(TransportError) -> Bool {
        try onDisk { () throws(FileError) in try file.folder.size(of: "\(file.name)-wal") ?? 0 } > 0
    }

    /// Creates the database, or migrates it.
    private static func create(_ file: FileLocation, _ busyTimeout: Duration) throws(TransportError)
        -> DatabaseConnection
    {
        let folder = try onDisk { () throws(FileError) in try file.folder.lock(patience: busyTimeout) }
        // Again, because another process may have been faster.
        if let connection = try openIfReady(file, busyTimeout) { return connection }
        let size = try onDisk { () throws(FileError) in try file.folder.size(of: file.name) }
        if size != nil { return try migrate(file, busyTimeout) }
        try make(file, in: folder)
        return try connect(file, busyTimeout)
    }

    private static func migrate(_ file: FileLocation, _ busyTimeout: Duration) throws(TransportError)
        -> DatabaseConnection
    {
        let connection = try connect(file, busyTimeout)
        try inDatabase(file) { () throws(SQLiteError) in try Schema.migrate(connection) }
        return connection
    }

    /// Makes the database under another name and gives it its own when it is whole: so an empty file of that name is
    /// never ours, and no accident turns it into a database without accounts.
    private static func make(_ file: FileLocation, in folder: borrowing LockedFolder) throws(TransportError) {
        let draft = FileLocation(folder: file.folder, name: "\(file.name).new")
        try onDisk { () throws(FileError) in
            for suffix in ["", "-journal", "-wal", "-shm"] { try folder.remove(draft.name + suffix) }
            try folder.create(draft.name)
        }
        do {
            // All of it is in this one file before it is renamed. A write-ahead log would be copied into it by the
            // closing, which tells nobody when that fails; and nobody needs a journal of what is thrown away then.
            let connection = try connect(draft, .zero)
            try inDatabase(file) { () throws(SQLiteError) in
                try connection.execute("PRAGMA page_size = \(pageSize); PRAGMA journal_mode = OFF")
                try Schema.create(in: connection)
                try connection.execute("PRAGMA journal_mode = WAL")
            }
        }
        try onDisk { () throws(FileError) in try folder.rename(draft.name, to: file.name) }
    }

    private static func connect(_ file: FileLocation, _ busyTimeout: Duration) throws(TransportError)
        -> DatabaseConnection
    {
        // The folder may be reached through a link, the file may not.
        let folder = try onDisk { () throws(FileError) in try file.folder.resolvedPath() }
        // SQLite would want to make files beside it, were it only to read.
        let isImmutable = file.folder.isReadOnly ? try !hasLog(file) : false
        return try inDatabase(file) { () throws(SQLiteError) in
            let connection = try DatabaseConnection(
                opening: "\(folder)/\(file.name)", busyTimeout: busyTimeout, isImmutable: isImmutable)
            // FULL is what survives a power cut.
            try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
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
            // What SQLite cannot open may be its log instead, which a program that another user ran has left.
            for suffix in ["-wal", "-shm"] where error.code.primary == SQLITE_CANTOPEN {
                _ = try onDisk { () throws(FileError) in try file.folder.size(of: file.name + suffix) }
            }
            throw StorageProblem.translate(error, file.path)
        }
    }
}
