import Foundation
import TestSupport
import Testing

/// An unusable database of local accounts is reported and stays unchanged.
@Suite(.keepsSecrets) struct DatabaseProblemTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
    }

    @Test(arguments: ["x", "not a database\n", String(repeating: "garbage ", count: 10_000)])
    func `a file that is not a database is rejected and kept`(text: String) throws {
        try world.write(text, to: world.database)
        try expectRefusal("corrupt")
        #expect(try world.text(world.database) == text)
    }

    @Test func `a database with damaged pages is rejected and kept`() throws {
        try world.runScript("dd if=/dev/zero of='\(world.database)' bs=1 seek=100 count=8000 conv=notrunc")
        let before = try world.bytes(world.database)
        try expectRefusal("corrupt")
        #expect(try world.bytes(world.database) == before)
    }

    @Test(arguments: [-1, -512, -4096, -4097, 5000] as [off_t])
    func `a truncated database is rejected and kept`(length: off_t) throws {
        let whole = off_t(try world.bytes(world.database).count)
        #expect(truncate(world.database, length < 0 ? whole + length : length) == 0)
        let before = try world.bytes(world.database)
        try expectRefusal("corrupt")
        #expect(try world.bytes(world.database) == before)
    }

    /// A folder named `-shm` is harmless: SQLite can read without that file.
    @Test(arguments: [("mkdir", "-wal"), ("ln -s /dev/null", "-wal"), ("ln -s /dev/null", "-shm")])
    func `a folder or link in place of the database's log is named in the error`(command: String, suffix: String) throws
    {
        try world.runScript("\(command) '\(world.database)\(suffix)'")
        let end = try world.run("whoami", "--json")
        #expect(end.exitCode == 12)
        #expect(try end.error().string("message")?.contains("'\(world.database)\(suffix)'") == true)
    }

    @Test func `a database of another program is rejected and kept`() throws {
        try world.execute("PRAGMA application_id = 1234")
        let before = try world.bytes(world.database)
        try expectRefusal("corrupt")
        #expect(try world.bytes(world.database) == before)
    }

    @Test func `a database of a newer version is rejected and kept`() throws {
        try world.execute("PRAGMA user_version = 999")
        let before = try world.bytes(world.database)
        try expectRefusal("newer-version")
        #expect(try world.bytes(world.database) == before)
    }

    @Test(arguments: ["mkdir", "mkfifo", "ln -s /dev/null"])
    func `a folder in place of the database is rejected`(command: String) throws {
        try world.runScript("rm '\(world.database)'; \(command) '\(world.database)'")
        try expectRefusal("unsafe")
    }

    @Test func `a database that other users could read gets mode 0600`() throws {
        chmod(world.database, 0o644)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(world.mode(world.database) == 0o600)
    }

    @Test func `commands that need no database work without it`() throws {
        try world.write("garbage", to: world.database)
        #expect(try world.run("token").exitCode == 0)
        #expect(try world.run("whoami", "--offline").exitCode == 0)
        #expect(try world.run("profile", "list").exitCode == 0)
    }

    @Test func `a logout deletes the session although the database is damaged`() throws {
        try world.write(String(repeating: "garbage ", count: 100), to: world.database)
        let logout = try world.run("logout", "--json")
        #expect(logout.exitCode == 12)
        #expect(try logout.document().string("revoked") == "unknown")
        #expect(try logout.document().flag("forgotten") == true)
        #expect(!world.isThere(world.sessionFile()))
    }

    private func expectRefusal(_ reason: String) throws {
        let session = try world.bytes(world.sessionFile())
        for words in [["whoami"], ["login", "ada", "--password-stdin"], ["signup", "bob", "--password-stdin"]] {
            let result = try world.start(words + ["--json"], input: .password).wait()
            #expect(result.exitCode == 12, "\(words)")
            let error = try result.error()
            #expect(error.string("reason") == reason, "\(words)")
            #expect(error.string("message")?.contains("'\(world.database)'") == true)
        }
        #expect(try world.bytes(world.sessionFile()) == session)
    }
}
