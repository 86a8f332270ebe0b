import SQLite
import TestSupport

/// Direct access to the database file.
extension Sandbox {
    func integer(_ sql: String) throws -> Int64 {
        try DatabaseConnection(opening: database, busyTimeout: .seconds(5)).integer(sql)
    }

    func sessionCount() throws -> Int64 { try integer("SELECT count(*) FROM sessions") }
}
