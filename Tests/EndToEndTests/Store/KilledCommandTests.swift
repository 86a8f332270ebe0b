import Foundation
import TestSupport

/// A command is killed at a system call that makes a change permanent, or the call fails. `Tests/sweep` covers every
/// system call.
@Suite(.mostlyWaits, .keepsStore, .enabled(if: Host.canTrace, "needs strace")) struct KilledCommandTests {
    private let world = Sandbox()

    struct Case: Sendable, CustomTestStringConvertible {
        let words: [String]
        let call: String
        var testDescription: String { "\(words[0]) \(words[1]), \(call)" }
    }

    static let cases = [
        Case(words: ["logout", "--profile=default"], call: "unlinkat"),
        Case(words: ["logout", "--profile=default"], call: "fsync"),
        Case(words: ["signup", "bob", "--skip-checks"], call: "renameat"),
        Case(words: ["signup", "bob", "--skip-checks"], call: "fsync"),
        Case(words: ["profile", "add", "ci", "--backend", "local", "--use"], call: "renameat"),
        Case(words: ["profile", "add", "ci", "--backend", "local", "--use"], call: "fsync"),
        Case(words: ["password", "change"], call: "renameat"),
    ]

    init() throws {
        world.set("AUTHCTL_PASSWORD", to: Sandbox.password)
        world.set("AUTHCTL_NEW_PASSWORD", to: "staple under the table")
        try world.run("profile", "add", "two", "--backend", "local", "--no-use")
        try world.signUp("ada")
        try world.logIn("ada", "-p", "two")
        try world.keepHome()
    }

    @Test(arguments: cases)
    func `a killed command leaves the old or the new state and no stale lock`(_ test: Case) throws {
        for index in try world.indices(of: test.call, in: test.words) {
            try world.restoreHome()
            let other = try world.bytes(world.sessionFile("two"))
            let killed = try world.run(test.words, "signal=KILL", at: index, of: test.call)
            expect(killed.signal, SIGKILL, "\(index)")
            #expect(killed.stdout.isEmpty, "\(index)")
            try expect(world.bytes(world.sessionFile("two")), other, "\(index)")
            // `token` exits with 0 if a session is saved, with 3 if none is saved, and with another code if the session
            // file is damaged.
            #expect([0, 3].contains(try world.run("token").exitCode), "\(index)")
            try expect(world.run("profile", "set", "two", "backend", "local").exitCode, 0, "\(index)")
            try world.signUp("eve", "-p", "two")
            try expect(world.run("whoami", "-p", "two").exitCode, 0, "\(index)")
            let left = world.contents(of: world.configurationFolder).filter { $0.contains("authctl-new") }
            expect(left, [], "\(index)")
        }
    }

    @Test(arguments: cases)
    func `a command that fails at a system call changes no file, or reports the change`(_ test: Case) throws {
        for index in try world.indices(of: test.call, in: test.words) {
            try world.restoreHome()
            let before = files()
            let failed = try world.run(test.words, "error=EIO", at: index, of: test.call)
            #expect([0, 12].contains(failed.exitCode), "\(index): \(failed.stderr)")
            if failed.exitCode == 12 {
                let isTold = ["power cut", "the profile was saved"].contains(where: failed.stderr.contains)
                #expect(files() == before || isTold, "\(index): \(failed.stderr)")
                #expect(failed.stderr.contains("'\(world.home)/"), "\(index)")
            } else {
                #expect(files() != before, "\(index)")
            }
        }
    }

    /// A snapshot of the configuration and the sessions.
    private func files() -> [String: [UInt8]] { world.snapshot(world.configurationFolder) }
}
