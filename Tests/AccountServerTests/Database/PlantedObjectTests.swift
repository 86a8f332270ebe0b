import Expectations
import Platform
import SQLite
import Transport

@testable import AccountServer

/// A database that another program has changed.
@Suite struct PlantedObjectTests {
    private static let trigger = """
        CREATE TRIGGER log AFTER UPDATE ON users BEGIN
            UPDATE users SET password_hash = NULL;
        END
        """

    @Test func `a trigger that a different program added to the database does not run`() throws {
        let server = try TestServer()
        let answer = try server.signUp("ada")
        let connection = try DatabaseConnection(opening: server.folder.path("accounts.db"), busyTimeout: .seconds(1))
        try connection.execute(Self.trigger)
        let (id, token) = (try #require(answer.id), answer.token)
        let next = try TestServer(in: server.folder)
        try expect(next.send(.put, "/users/\(id)", #"{"a":1}"#, token: token).status, 200)
        try expect(connection.integer("SELECT count(*) FROM users WHERE password_hash IS NULL"), 0)
        try expect(next.send(.delete, "/users/\(id)", token: token).status, 200)
        try expect(connection.integer("SELECT count(*) FROM sessions"), 0, "foreign keys still apply")
    }
}
