import Foundation
import TestSupport

/// A process is killed, or a system call fails, at any point of a write. Afterwards the file has its old or its new
/// content.
@Suite(.mostlyWaits, .keepsStore, .enabled(if: Host.canTrace, "needs strace")) struct KilledWriterTests {
    private let world = Sandbox()

    static let calls = ["openat", "write", "pwrite64", "fsync", "renameat", "close", "flock"]

    init() throws {
        for name in ["one", "two"] { try world.run("profile", "add", name, "--backend", "local", "--no-use") }
        try world.signUp("ada")
        for name in ["one", "two"] { try world.logIn("ada", "-p", name) }
    }

    @Test(arguments: calls)
    func `a login killed at a file operation leaves the old or the new session`(call: String) throws {
        for index in try world.indices(of: call, in: Self.words) {
            let before = try tokens()
            let login = try world.run(Self.words, "signal=KILL", at: index, of: call)
            expect(login.signal, SIGKILL, "\(call) \(index)")
            let after = try tokens()
            expect(after.count, 3, "\(call) \(index)")
            expect(after.dropFirst(), before.dropFirst(), "\(call) \(index)")
            if !login.stdout.isEmpty { #expect(after.first != before.first) }
            #expect(try world.logIn("ada", "-p", "two", "-q").stderr.isEmpty, "\(call) \(index)")
        }
        let left = world.contents(of: world.sessionFolder).filter { $0.contains("authctl-new") }
        expect(left, [])
    }

    @Test(arguments: ["openat", "write", "fsync", "renameat", "flock"], ["ENOSPC", "EIO"])
    func `a login that fails at a file operation keeps the saved session`(call: String, failure: String) throws {
        for index in try world.indices(of: call, in: Self.words) {
            let before = try world.bytes(world.sessionFile())
            let login = try world.run(Self.words, "error=\(failure)", at: index, of: call)
            let after = try world.bytes(world.sessionFile())
            if login.exitCode == 0 {
                #expect(after != before, "\(call) \(failure) \(index)")
            } else {
                expect(login.exitCode, 12, "\(call) \(failure) \(index): \(login.stderr)")
                // If only the success message or the sync of the folder fails, the new session is already saved.
                let isSaved = ["standard output", "a power cut may undo it"].contains(where: login.stderr.contains)
                #expect(after == before || isSaved, "\(call) \(failure) \(index)")
            }
        }
    }

    @Test func `a login repeats a system call interrupted with EINTR`() throws {
        for call in ["openat", "write", "fsync", "renameat"] {
            for index in try world.indices(of: call, in: Self.words) {
                let login = try world.run(Self.words, "error=EINTR", at: index, of: call)
                expect(login.exitCode, 0, "\(call) \(index): \(login.stderr)")
            }
        }
    }

    @Test func `an account whose signup was reported as successful survives a kill of all processes`() throws {
        let script = """
            for i in {1..100}; do
                "$A" signup "$PREFIX-$i" --no-login --password-stdin -q <<<'\(Sandbox.password)' && echo "done $i"
            done
            """
        var reported: [String] = []
        for round in 1...8 {
            let terminal = PseudoTerminal()
            let environment = ["A": BuiltBinary.path, "PREFIX": "user-\(round)"]
            let signups = try world.start(
                [], environment: environment, terminal: terminal, program: ["/bin/bash", "-c", script])
            #expect(terminal.waitFor("done \(1 + round % 3)"))
            signups.killGroup()
            signups.wait()
            reported += terminal.shown.matches(of: /done (\d+)/).map { "user-\(round)-\($0.1)" }
        }
        #expect(reported.count >= 8)
        for name in reported {
            try expect(world.integer("SELECT count(*) FROM users WHERE username = '\(name)'"), 1, "\(name)")
        }
        try expect(world.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1)
        try expect(world.logIn(reported[0]).exitCode, 0)
    }

    private static let words = ["login", "ada", "--password-stdin"]

    private func tokens() throws -> [String] {
        try ["default", "one", "two"].map { try world.token($0) }.filter { !$0.isEmpty }
    }
}
