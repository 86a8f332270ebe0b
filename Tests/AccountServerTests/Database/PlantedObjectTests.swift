import Platform
import SQLite
import Testing
import Transport

@testable import AccountServer

/// Databases that another program has changed.
@Suite struct PlantedObjectTests {
    private static let trigger = """
        CREATE TRIGGER log AFTER UPDATE ON users BEGIN
            UPDATE users SET password_hash = NULL;
        END
        """

    @Test(arguments: [
        (trigger, FileError.Kind.unsafe, "authctl did not create its trigger 'log'"),
        ("CREATE VIEW accounts AS SELECT * FROM users", .unsafe, "authctl did not create its view 'accounts'"),
        ("CREATE TABLE notes (a)", .unsafe, "authctl did not create its table 'notes'"),
        ("CREATE INDEX slow ON users (fields)", .unsafe, "authctl did not create its index 'slow'"),
        (
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('trigger', 'sqlite_stat1', 'users', 0,
                'CREATE TRIGGER sqlite_stat1 AFTER UPDATE ON users BEGIN DELETE FROM users; END');
            """, .unsafe, "authctl did not create its trigger 'sqlite_stat1'"
        ),
        (
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'fields TEXT', 'fields BLOB') WHERE name = 'users';
            """, .corrupt, "its table 'users' was changed or removed"
        ),
        ("DROP INDEX sessions_of_user", .corrupt, "its index 'sessions_of_user' was changed or removed"),
        ("DROP TABLE identities", .corrupt, "its table 'identities' was changed or removed"),
        ("ALTER TABLE users ADD COLUMN note TEXT", .corrupt, "its table 'users' was changed or removed"),
    ])
    func `a database with other objects than authctl's is not used`(
        sql: String, kind: FileError.Kind, cause: String
    ) throws {
        for version in 1...3 {
            // Version 1 has no identities.
            if version == 1, sql.contains("identities") { continue }
            let folder = try version == 3 ? TestFolder() : MigrationTests.folder(version: version)
            if version == 3 { try TestServer(in: folder).signUp("ada") }
            try DatabaseConnection(opening: folder.path("accounts.db"), busyTimeout: .seconds(1)).execute(sql)
            let error = #expect(throws: TransportError.self) { try TestServer(in: folder).logIn("ada") }
            #expect(error?.kind == .storage(kind))
            #expect(error?.message == "cannot use the account database '\(folder.path("accounts.db"))': \(cause)")
        }
    }

    @Test func `a trigger planted while the server runs does not run`() throws {
        let server = try TestServer()
        let answer = try server.signUp("ada")
        let connection = try DatabaseConnection(opening: server.folder.path("accounts.db"), busyTimeout: .seconds(1))
        try connection.execute(Self.trigger)
        let (id, token) = (try #require(answer.id), answer.token)
        #expect(try server.send(.put, "/users/\(id)", #"{"a":1}"#, token: token).status == 200)
        #expect(try connection.integer("SELECT count(*) FROM users WHERE password_hash IS NULL") == 0)
        #expect(try server.send(.delete, "/users/\(id)", token: token).status == 200)
        #expect(try connection.integer("SELECT count(*) FROM sessions") == 0, "foreign keys still apply")
    }

    @Test func `the tables of SQLite's ANALYZE are accepted`() throws {
        let folder = try TestFolder()
        try TestServer(in: folder).signUp("ada")
        try DatabaseConnection(opening: folder.path("accounts.db"), busyTimeout: .seconds(1)).execute("ANALYZE")
        #expect(try TestServer(in: folder).logIn("ada").status == 200)
    }

    @Test func `the digest in the program is that of a new database`() throws {
        let connection = try AccountDatabase.open(TestFolder().database(), busyTimeout: .seconds(1))
        #expect(try Schema.digest(of: connection) == Schema.digest)
    }
}
