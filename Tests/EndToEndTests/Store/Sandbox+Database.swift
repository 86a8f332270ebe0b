import SQLite
import TestSupport

/// Direct access to the database file.
extension Sandbox {
    func integer(_ sql: String) throws -> Int64 {
        try DatabaseConnection(opening: database, busyTimeout: .seconds(5)).integer(sql)
    }

    func execute(_ sql: String) throws {
        try DatabaseConnection(opening: database, busyTimeout: .seconds(5)).execute(sql)
    }
}
