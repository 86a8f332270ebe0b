import SQLite
import TestSupport

/// The database as it lies on the disk.
extension Sandbox {
    func integer(_ sql: String) throws -> Int64 {
        try DatabaseConnection(opening: database, busyTimeout: .seconds(5)).integer(sql)
    }

    func execute(_ sql: String) throws {
        try DatabaseConnection(opening: database, busyTimeout: .seconds(5)).execute(sql)
    }
}
