import CSQLite
import Expectations
import Foundation
import SQLite

@Suite struct DatabaseConnectionTests {
    @Test func `integers, text, blobs and NULL are read from SQLite as they were bound`() throws {
        let connection = try openedTable()
        let text = "a\u{0}b 'ž' 😀"
        try connection.run("INSERT INTO t VALUES (?, ?, ?, ?)", [.integer(.min), .text(text), .blob([0, 255]), nil])
        let matches = try connection.row("SELECT a, b, c, d FROM t") { row in
            row.integer(0) == .min && row.text(1) == text && row.blob(2) == [0, 255] && row.isNull(3)
                && row.optionalText(3) == nil && row.optionalInteger(3) == nil && row.optionalInteger(0) == .min
        }
        expect(matches, true)
    }

    @Test func `an empty string or blob is stored in SQLite as empty and not as NULL`() throws {
        let connection = try openedTable()
        try connection.run("INSERT INTO t VALUES (0, ?, ?, ?)", ["", .blob([]), Value(nil as String?)])
        let nulls = try connection.row("SELECT b, c, d FROM t") { [$0.isNull(0), $0.isNull(1), $0.isNull(2)] }
        expect(nulls, [false, false, true])
    }

    @Test func `an SQL statement can run again with different values`() throws {
        let connection = try openedTable()
        for number in 1...3 {
            try expect(connection.run("INSERT INTO t (a) VALUES (?)", [.integer(Int64(number))]), 1)
        }
        try expect(connection.rows("SELECT a FROM t ORDER BY a") { $0.integer(0) }, [1, 2, 3])
        try expect(connection.run("DELETE FROM t WHERE a > ?", [1]), 2)
        try expect(connection.row("SELECT a FROM t WHERE a = 2") { $0.integer(0) }, nil)
    }

    @Test func `a SQLite error has the extended result code and SQLite's message`() throws {
        let connection = try openedTable()
        try connection.execute("CREATE UNIQUE INDEX i ON t (a); INSERT INTO t (a) VALUES (1)")
        let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t (a) VALUES (?)", [1]) }
        expect(error?.code.rawValue, 2067)
        expect(error?.code.primary, SQLITE_CONSTRAINT)
        expect(error?.message, "UNIQUE constraint failed: t.a")
        #expect(throws: SQLiteError.self) { try connection.run("SELEC 1") }
        #expect(throws: SQLiteError.self) { try connection.run("") }
    }

    @Test func `a database with prepared statements can be replaced by a copy of another database`() throws {
        let (connection, source) = try (openedTable(), openedTable())
        try connection.run("INSERT INTO t (a) VALUES (?)", [1])
        try source.execute("INSERT INTO t (a) VALUES (2); CREATE TABLE u (x)")
        try connection.copyContent(of: source)
        try connection.run("INSERT INTO t (a) VALUES (?)", [3])
        try expect(connection.rows("SELECT a FROM t ORDER BY a") { $0.integer(0) }, [2, 3])
        try expect(connection.integer("SELECT count(*) FROM u"), 0)
        try expect(source.integer("SELECT count(*) FROM t"), 1)
    }

    @Test func `copying onto a locked database fails and leaves its content unchanged`() throws {
        let (connection, source) = try (openedTable(), openedTable())
        try connection.transaction { () throws(SQLiteError) in
            try connection.run("INSERT INTO t (a) VALUES (1)")
            #expect(throws: SQLiteError.self) { try connection.copyContent(of: source) }
        }
        try expect(connection.integer("SELECT count(*) FROM t"), 1)
    }

    @Test func `a transaction is rolled back if its body throws, and otherwise committed`() throws {
        let connection = try openedTable()
        #expect(throws: SQLiteError.self) {
            try connection.transaction { () throws(SQLiteError) in
                try connection.run("INSERT INTO t (a) VALUES (1)")
                try connection.run("INSERT INTO missing VALUES (1)")
            }
        }
        try expect(connection.integer("SELECT count(*) FROM t"), 0)
        let result = try connection.transaction { () throws(SQLiteError) in
            try connection.run("INSERT INTO t (a) VALUES (1)")
            return "kept"
        }
        expect(result, "kept")
        try expect(connection.integer("SELECT count(*) FROM t"), 1)
    }

    @Test func `a second writer fails with SQLITE_BUSY after its time limit`() throws {
        let file = try DatabaseFile()
        let first = try DatabaseConnection(opening: file.path, busyTimeout: .zero)
        let second = try DatabaseConnection(opening: file.path, busyTimeout: .milliseconds(20))
        try first.execute("CREATE TABLE t (a); BEGIN IMMEDIATE")
        let error = #expect(throws: SQLiteError.self) {
            try second.transaction { () throws(SQLiteError) in try second.run("INSERT INTO t VALUES (1)") }
        }
        expect(error?.code.primary, SQLITE_BUSY)
    }

    @Test func `a missing file, a symbolic link and a file that does not contain a database are rejected`() throws {
        let file = try DatabaseFile()
        #expect(throws: SQLiteError.self) {
            try DatabaseConnection(opening: file.path + "-missing", busyTimeout: .zero)
        }
        let link = file.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        #expect(throws: SQLiteError.self) { try DatabaseConnection(opening: link, busyTimeout: .zero) }
        try Data("no database, but long enough to have a look at its first bytes".utf8).write(to: file.url)
        let connection = try DatabaseConnection(opening: file.path, busyTimeout: .zero)
        let error = #expect(throws: SQLiteError.self) { try connection.integer("PRAGMA user_version") }
        expect(error?.code.primary, SQLITE_NOTADB)
    }

    private func openedTable() throws -> DatabaseConnection {
        let connection = try DatabaseConnection(opening: DatabaseFile().path, busyTimeout: .zero)
        try connection.execute("CREATE TABLE t (a, b, c, d)")
        return connection
    }
}

/// An empty file in a separate temporary folder, which the tests do not delete.
private struct DatabaseFile {
    let url: URL
    var path: String { url.path }

    init() throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("sqlite-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("test.db")
        try Data().write(to: url)
    }
}
