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
        let new = try Self.schema(TestFolder())
        for version in 1...2 { #expect(try Self.schema(Self.folder(version: version)) == new) }
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

    @Test(arguments: ["Ada\u{200B}", " ada", "ada", "bo b", "\u{00A0}"])
    func `users whose names version 3 does not allow keep them and log in`(name: String) throws {
        let server = try TestServer(in: Self.folder(version: 2)) { $0.throttle = .standard }
        let login = try server.logIn(name, password: "correct horse 1")
        #expect(login.json?["username"] == .string(name))
        let (id, token) = (try #require(login.id), try #require(login.token))
        #expect(try server.send(.put, "/users/\(id)", #"{"note":"x"}"#, token: token).status == 200)
        if let email = login.json?["email"]?.string {
            #expect(try server.logIn(email, password: "correct horse 1").id == id)
            #expect(try server.send(.put, "/users/\(id)", #"{"password":"new"}"#, token: token).status == 200)
            #expect(try server.logIn(email, password: "new").id == id)
        }
        #expect(try server.signUp(name).code == 202)
        #expect(try server.signUp(name.uppercased() + " ").code == 202)
    }

    @Test func `a user of version 2 may change a name that version 3 does not allow, but not choose it again`() throws {
        let server = try TestServer(in: Self.folder(version: 2))
        let login = try server.logIn(" ada", password: "correct horse 1")
        let (id, token) = (try #require(login.id), try #require(login.token))
        func put(_ body: String) throws -> Answer { try server.send(.put, "/users/\(id)", body, token: token) }
        #expect(try put(#"{"username":"ada "}"#).code == 202)
        #expect(try put(#"{"username":"grace"}"#).status == 200)
        #expect(try put(#"{"username":" ada"}"#).code == 202)
        #expect(try server.logIn("grace", password: "correct horse 1").id == id)
    }

    @Test func `a name stays taken as long as one of several users of version 2 has it`() throws {
        let server = try TestServer(in: Self.folder(version: 2))
        for name in ["ada", "Ada\u{200B}"] {
            let login = try server.logIn(name, password: "correct horse 1")
            let (id, token) = (try #require(login.id), try #require(login.token))
            #expect(try server.send(.delete, "/users/\(id)", token: token).status == 200)
            #expect(try server.signUp("ada").code == 202)
        }
        let login = try server.logIn(" ada", password: "correct horse 1")
        #expect(try server.send(.delete, "/users/\(#require(login.id))", token: login.token).status == 200)
        #expect(try server.signUp("ada").status == 201)
    }

    @Test func `a reset link of version 2 works after the migration`() throws {
        let server = try TestServer(in: Self.folder(version: 2))
        let path = "/apps/test-app/request_password_reset?token=4acbe67c0c5309c564ad3c8379c005d4&username=%20ada"
        #expect(try server.send(.get, path).status == 200)
    }

    private static func folderWithVersion1() throws -> TestFolder { try folder(version: 1) }

    static func folder(version: Int) throws -> TestFolder {
        let folder = try TestFolder()
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Databases/accounts-v\(version).db")
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
