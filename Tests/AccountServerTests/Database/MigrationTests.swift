import Foundation
import Platform
import SQLite
import Testing

@testable import AccountServer

/// A database that the first version of the program made, with the users `ada` and `bob`.
@Suite struct MigrationTests {
    private let token = "r:774febb8d05d848bb4aaebb7e8dee00c"

    @Test func `accounts and sessions of version 1 work after the migration`() throws {
        let server = try TestServer(in: Self.folderWithVersion1())
        #expect(try server.logIn("ada", password: "correct horse 1").status == 200)
        let me = try server.send(.get, "/users/me", token: token)
        #expect(me.json?["username"] == "bob" && me.json?["email"] == "bob@example.com")
        let session = try server.send(.get, "/sessions/me", token: token)
        let id = try #require(session.id)
        #expect(try server.send(.put, "/sessions/\(id)", #"{"label":"laptop"}"#, token: token).status == 200)
        #expect(try server.send(.get, "/sessions/\(id)", token: token).json?["label"] == "laptop")
        let body = #"{"authData":{"anonymous":{"id":"device"}}}"#
        #expect(try server.send(.put, "/users/\(#require(me.id))", body, token: token).status == 200)
        #expect(try server.send(.post, "/users", body).status == 200)
    }

    @Test func `a migrated database has the schema of a new one`() throws {
        let (old, new) = (try Self.folderWithVersion1(), try TestFolder())
        #expect(try Self.schema(old) == Self.schema(new))
    }

    @Test func `sixteen threads that open an old database at once all find it migrated`() throws {
        let folder = try Self.folderWithVersion1()
        let lines = atOnce(16) { try TestServer(in: folder).signUp("user-\($0)").status.description }
        #expect(lines == Array(repeating: "201", count: 16))
    }

    @Test func `an old database is not touched while its folder is locked`() throws {
        let folder = try Self.folderWithVersion1()
        let before = try folder.bytes("accounts.db")
        let lock = try folder.place.lock()
        let server = try TestServer(in: folder, busyTimeout: .milliseconds(20))
        #expect(throws: (any Error).self) { try server.logIn("ada") }
        #expect(try folder.bytes("accounts.db") == before)
        _ = consume lock
    }

    private static func folderWithVersion1() throws -> TestFolder {
        let folder = try TestFolder()
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Databases/accounts-v1.db")
        try FileManager.default.copyItem(atPath: file.path, toPath: folder.path("accounts.db"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("accounts.db"))
        return folder
    }

    private static func schema(_ folder: TestFolder) throws -> [String] {
        let connection = try AccountDatabase.open(folder.database(), busyTimeout: .seconds(1))
        let version = try connection.integer("PRAGMA user_version")
        return try connection.rows("SELECT name, sql FROM sqlite_schema ORDER BY name") {
            "\($0.text(0)): \($0.text(1))"
        } + ["\(version)"]
    }
}
