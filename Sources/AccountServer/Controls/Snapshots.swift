import Platform
internal import SQLite

/// Copies of a database and of the other state that tests change, in memory. They end with the process.
struct Snapshots {
    struct Snapshot {
        let id: String
        let database: DatabaseConnection
        let mails: [Mail]
        let shift: Duration
        /// Bytes of the database.
        let size: Int64
    }

    static let mostSnapshots = 16
    /// Bytes of all databases together. An account takes about 0.6 KB.
    static let largestSize: Int64 = 512 << 20

    /// The oldest first.
    private(set) var all: [Snapshot] = []

    subscript(id: String) -> Snapshot? { all.first { $0.id == id } }

    /// Copies the database. The oldest snapshots are forgotten if there would be too many.
    ///
    /// - Returns: `false` if the database is larger than all snapshots may be.
    mutating func add(
        _ id: String, of database: DatabaseConnection, mails: [Mail], shift: Duration
    ) throws(SQLiteError) -> Bool {
        let size = try database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size")
        guard size <= Self.largestSize else { return false }
        while all.count >= Self.mostSnapshots || all.reduce(size, { $0 + $1.size }) > Self.largestSize {
            all.removeFirst()
        }
        let copy = try Self.emptyDatabase()
        try copy.copyContent(of: database)
        all.append(Snapshot(id: id, database: copy, mails: mails, shift: shift, size: size))
        return true
    }

    static func emptyDatabase() throws(SQLiteError) -> DatabaseConnection {
        try DatabaseConnection(opening: ":memory:", busyTimeout: .zero)
    }
}
