import Expectations
import Foundation
import LibC
import Platform
import SQLite
import Transport

@testable import AccountServer

/// The files of the database: modes, creation, unusable files and locks.
@Suite struct DatabaseFileTests {
    /// The umask applies to the whole process, so this is an exit test. A umask that removes permissions from the owner
    /// is not tested, because authctl replaces such a umask when it starts.
    @Test(arguments: [0o000, 0o022, 0o077] as [mode_t])
    func `the database files have mode 0600, whatever the umask`(mask: mode_t) async throws {
        await #expect(processExitsWith: .success) { [mask] in
            let server = try TestServer()
            umask(mask)
            try expect(server.signUp("a").status, 201)
            let names = try FileManager.default.contentsOfDirectory(atPath: server.folder.path).sorted()
            expect(names, [".lock", "accounts.db", "accounts.db-shm", "accounts.db-wal"])
            for name in names { try expect(server.folder.mode(name), 0o600, "\(name)") }
        }
    }

    @Test func `a login removes the read permissions of group and others from the database file`() throws {
        let folder = TestFolder()
        try TestServer(in: folder).signUp("a")
        chmod(folder.path("accounts.db"), 0o644)
        try expect(TestServer(in: folder).logIn("a").status, 200)
        try expect(folder.mode("accounts.db"), 0o600)
    }

    @Test func `the folder of the database may be a symbolic link`() throws {
        let folder = TestFolder()
        try FileManager.default.createDirectory(atPath: folder.path("real"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "real")
        _ = try AccountDatabase.open(folder.database(in: "link"), busyTimeout: .seconds(1))
        try expect(folder.mode("real/accounts.db"), 0o600)
    }

    @Test func `a request with a session token fails if the database is missing, and creates no database`() throws {
        let folder = TestFolder()
        let error = #expect(throws: TransportError.self) {
            try TestServer(in: folder).send(.get, "/users/me", token: "r:\(String(repeating: "0", count: 32))")
        }
        expect(error?.kind, .storage(.unreadable))
        expect(error?.message.contains(folder.path("accounts.db")), true)
        try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }

    @Test(arguments: ["", "PRAGMA journal_mode = WAL"])
    func `a signup creates the tables that a killed process did not create`(sql: String) throws {
        let folder = TestFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("accounts.db")))
        try DatabaseConnection(opening: folder.path("accounts.db"), busyTimeout: .zero).execute(sql)
        try expect(TestServer(in: folder).signUp("a").status, 201)
        try expect(TestServer(in: folder).logIn("a").status, 200)
        try expect(folder.mode("accounts.db"), 0o600)
    }

    @Test func `a reopened database keeps its data, WAL mode and application id`() throws {
        let folder = TestFolder()
        let token = try TestServer(in: folder).signUp("a").token
        try expect(TestServer(in: folder).send(.get, "/users/me", token: token).status, 200)
        let connection = try DatabaseConnection(opening: folder.path("accounts.db"), busyTimeout: .seconds(1))
        try expect(connection.row("PRAGMA journal_mode") { $0.text(0) }, "wal")
        try expect(connection.integer("PRAGMA application_id"), 0x6175_6374)
        try expect(connection.integer("PRAGMA user_version"), Schema.version)
        let own = try AccountDatabase.open(folder.database(), busyTimeout: .seconds(1))
        try expect(own.integer("PRAGMA synchronous"), 2)
        try expect(own.integer("PRAGMA foreign_keys"), 1)
        try expect(own.integer("PRAGMA trusted_schema"), 0)
    }

    @Test(arguments: BadFile.allCases)
    func `an unusable database file is named in the error and left unchanged`(file: BadFile) throws {
        let folder = TestFolder()
        try file.make(folder)
        let before = try file.content(folder)
        let error = #expect(throws: TransportError.self) { try TestServer(in: folder).signUp("a") }
        expect(error?.kind, .storage(file.fault))
        expect(error?.message.contains("'\(folder.path("accounts.db"))'"), true)
        expect(error?.hints.first?.contains(file.hint), true)
        expect(error?.wasSent, false)
        try expect(file.content(folder), before)
    }

    @Test func `a signup succeeds after an unusable database file is removed`() throws {
        let folder = TestFolder()
        try BadFile.directory.make(folder)
        let server = try TestServer(in: folder)
        #expect(throws: TransportError.self) { try server.signUp("a") }
        try FileManager.default.removeItem(atPath: folder.path("accounts.db"))
        try expect(server.signUp("a").status, 201)
    }

    @Test func `a database locked by another connection can be read, but a write fails`() throws {
        let folder = TestFolder()
        let server = try TestServer(in: folder, busyTimeout: .milliseconds(20))
        let token = try server.signUp("a").token
        let other = try DatabaseConnection(opening: folder.path("accounts.db"), busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: TransportError.self) { try server.signUp("b") }
        expect(error?.kind, .storage(.locked))
        try expect(server.send(.get, "/users/me", token: token).status, 200, "readers do not wait for a writer")
        try other.execute("ROLLBACK")
        try expect(server.signUp("b").status, 201)
    }

    @Test func `a signup reports a locked database while another process creates the database`() throws {
        let folder = TestFolder()
        let lock = try folder.place.lock()
        let server = try TestServer(in: folder, busyTimeout: .milliseconds(20))
        let error = #expect(throws: TransportError.self) { try server.signUp("a") }
        expect(error?.kind, .storage(.locked))
        _ = consume lock
    }

    @Test(
        arguments: [
            (13, 0, .noSpace), (778, ENOSPC, .noSpace), (778, EDQUOT, .noSpace), (778, EIO, .notWritten),
            (8, 0, .notWritten), (1032, 0, .notWritten), (5, 0, .locked), (261, 0, .locked), (6, 0, .locked),
            (11, 0, .corrupt), (26, 0, .corrupt), (1, 0, .corrupt), (2067, 0, .corrupt), (14, EACCES, .unreadable),
        ] as [(Int32, Int32, FileError.Kind)])
    func `the result code and errno of an SQLite error determine the storage error`(
        code: Int32, systemError: Int32, fault: FileError.Kind
    ) {
        let error = SQLiteError(code: ResultCode(rawValue: code), message: "words", systemError: systemError)
        expect(StorageProblem.translate(error, "/a/b").kind, .storage(fault))
    }
}

/// An unusable file in place of the database.
enum BadFile: CaseIterable {
    case text, truncated, damaged, foreign, foreignWithoutMark, older, newer, directory, link, danglingLink, fifo
    case groupWritable, worldWritable, anothersFile

    var fault: FileError.Kind {
        switch self {
        case .text, .truncated, .damaged, .foreign, .foreignWithoutMark: .corrupt
        case .older, .newer: .newerVersion
        case .directory, .link, .danglingLink, .fifo, .groupWritable, .worldWritable, .anothersFile: .unsafe
        }
    }

    var hint: String {
        switch self {
        case .text, .truncated, .damaged, .foreign, .foreignWithoutMark: "backup"
        case .older, .newer: "use the authctl that made"
        case .directory, .link, .danglingLink, .fifo: "move it away"
        case .groupWritable, .worldWritable: "chmod go-w /"
        case .anothersFile: "as that user"
        }
    }

    func make(_ folder: TestFolder) throws {
        let path = folder.path("accounts.db")
        switch self {
        case .text: try Data("these are no accounts, but a diary\n".utf8).write(to: URL(fileURLWithPath: path))
        case .truncated:
            try database(folder)
            truncate(path, 5000)
        case .damaged:
            try database(folder)
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seek(toOffset: 100)
            try handle.write(contentsOf: Data(repeating: 0xFF, count: 3000))
            try handle.close()
        case .foreign: try database(folder, "PRAGMA application_id = 77")
        case .foreignWithoutMark: try database(folder, "PRAGMA application_id = 0; PRAGMA user_version = 0")
        case .older: try database(folder, "PRAGMA user_version = \(Schema.version - 1)")
        case .newer: try database(folder, "PRAGMA user_version = \(Schema.version + 1); CREATE TABLE future (a)")
        case .directory: mkdir(path, 0o700)
        case .link:
            try database(folder)
            rename(path, folder.path("elsewhere"))
            symlink("elsewhere", path)
        case .danglingLink: symlink("nowhere", path)
        case .fifo: mkfifo(path, 0o600)
        case .groupWritable:
            try database(folder)
            chmod(path, 0o660)
        case .worldWritable:
            try database(folder)
            chmod(path, 0o602)
        case .anothersFile:
            try database(folder)
            // Only root can change the owner of a file. Without root, the test uses a link to a file that root owns.
            if chown(path, 12345, gid_t.max) != 0 {
                unlink(path)
                symlink("/etc/passwd", path)
            }
        }
    }

    /// The content of each file in the folder, by name; `nil` if it is unreadable, always `nil` for the case `fifo`.
    func content(_ folder: TestFolder) throws -> [String: Data?] {
        var content: [String: Data?] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            content[name] = self == .fifo ? Data?.none : try? folder.bytes(name)
        }
        return content
    }

    /// Creates a database with an account, then runs the SQL statements in `change`.
    private func database(_ folder: TestFolder, _ change: String = "") throws {
        try TestServer(in: folder).signUp("a")
        let connection = try DatabaseConnection(opening: folder.path("accounts.db"), busyTimeout: .seconds(1))
        try connection.execute(change)
    }
}
