import Foundation
import TestSupport

/// Errors about damaged files. Some have a hint with a command that works when pasted.
@Suite(.mostlyWaits, .keepsSecrets) struct DamagedFileTests {
    private let world = Sandbox()

    init() throws {
        try world.signUp("ada", "--email", "ada@example.org")
    }

    @Test func `the suggested command moves away the symlink to an invalid configuration, not the target`() throws {
        let target = "\(world.home)/team.json"
        expect(symlink(target, world.configurationFile), 0)
        try world.write("{\"v\": 1,\n \"profiles\": {,}}\n", to: target)
        let whoami = try world.run("whoami")
        whoami.expectTranscript(in: "files", of: world)
        try runHint(of: whoami)
        #expect(world.isThere(target) && !world.isThere(world.configurationFile))
        try expect(world.run("whoami").exitCode, 0)
    }

    @Test func `the suggested command removes a damaged current-profile file`() throws {
        try world.write("no such name\n", to: "\(world.configurationFolder)/current")
        let whoami = try world.run("whoami")
        whoami.expectTranscript(in: "files", of: world)
        try runHint(of: whoami)
        try expect(world.run("whoami").exitCode, 0)
    }

    @Test func `the suggested command moves a truncated session file away`() throws {
        try world.write(Array(try world.bytes(world.sessionFile()).prefix(100)), to: world.sessionFile())
        let whoami = try world.run("whoami")
        whoami.expectTranscript(in: "files", of: world)
        for words in [["token"], ["login", "ada", "--password-stdin"], ["signup", "bob", "--password-stdin"]] {
            try expect(world.start(words, input: .password).wait().exitCode, 12, "\(words)")
        }
        try expect(world.sessionCount(), 1)
        try runHint(of: whoami)
        try expect(world.logIn("ada").exitCode, 0)
    }

    /// `DatabaseFileTests` tests other kinds of damage.
    @Test func `a truncated database is rejected and kept, and commands that do not need the database work`() throws {
        expect(truncate(world.database, 5000), 0)
        let before = try world.bytes(world.database)
        for words in [["whoami"], ["login", "ada", "--password-stdin"], ["signup", "bob", "--password-stdin"]] {
            let result = try world.start(words + ["--json"], input: .password).wait()
            expect(result.exitCode, 12, "\(words)")
            try expect(result.error().string("reason"), "corrupt")
            try expect(result.error().string("message")?.contains("'\(world.database)'"), true)
        }
        try expect(world.bytes(world.database), before)
        try expect(world.run("token").exitCode, 0)
        try expect(world.run("whoami", "--offline").exitCode, 0)
        try expect(world.run("profile", "list").exitCode, 0)
        let logout = try world.run("logout", "--json")
        expect(logout.exitCode, 12)
        try expect(logout.document().flag("forgotten"), true)
        #expect(!world.isThere(world.sessionFile()))
    }

    /// `mkdir` with `-shm` is left out, because SQLite can read the database without this file.
    @Test(arguments: [("mkdir", "-wal"), ("ln -s /dev/null", "-wal"), ("ln -s /dev/null", "-shm")])
    func `the error about an unusable SQLite -wal or -shm file names its path`(command: String, suffix: String) throws {
        try world.runScript("\(command) '\(world.database)\(suffix)'")
        let end = try world.run("whoami", "--json")
        expect(end.exitCode, 12)
        try expect(end.error().string("message")?.contains("'\(world.database)\(suffix)'"), true)
    }

    private func runHint(of result: Finished) throws {
        let command = try #require(result.stderr.firstMatch(of: /hint: .*: ((mv|rm) .*)\n/)?.1)
        try world.runScript(String(command))
    }
}
