import Foundation
import TestSupport
import Testing

/// The operation succeeded, but its result could not be saved or printed. The message reports the current state.
@Suite(.keepsInvariants) struct UnsavedResultTests {
    private let world: Sandbox

    /// Commands, each with the command that shows its result.
    static let operations: [(words: [String], stateCommand: String)] = [
        (["signup", "bob", "--password-stdin"], "whoami"),
        (["signup", "bob", "--password-stdin", "--no-login"], "login -- bob"),
        (["login", "ada", "--password-stdin"], "whoami"),
        (["profile", "add", "ci", "--backend", "local"], "profile list"),
        (["logout"], "profile list"),
        (["sessions", "revoke", "--others"], "sessions"),
        (["password", "reset", "ada@example.org"], "password reset ada@example.org"),
    ]

    init() throws {
        world = try Sandbox()
        try world.signUp("ada", "--email", "ada@example.org")
    }

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"), arguments: operations, [false, true])
    func `an operation whose output cannot be written is reported in the error`(
        operation: (words: [String], stateCommand: String), inJSON: Bool
    ) throws {
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(device) }
        let words = operation.words + (inJSON ? ["--json"] : [])
        let end = try world.start(words, input: .password, output: device).wait()
        #expect(end.exitCode == 12)
        let hint = try inJSON ? end.error().string("hint") : end.errorLines.last.map(String.init)
        #expect(hint?.hasSuffix("authctl \(operation.stateCommand)") == true)
        if !inJSON { end.expectTranscript(in: "unwritten-output", operation.words.joined(separator: " "), of: world) }
        let shown = try world.runScript("AUTHCTL_PASSWORD='\(Sandbox.password)' \"$A\" \(operation.stateCommand)")
        #expect(shown.exitCode == 0, "\(shown.stderr)")
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a logout that cannot delete the session file reports that the session is revoked`() throws {
        let token = try world.token()
        let end = try world.run("logout", under: .failing("unlinkat", "EIO"))
        #expect(end.exitCode == 12)
        end.expectTranscript(in: "unsaved-result", of: world)
        #expect(try world.token() == token)
        #expect(try world.run("logout").exitCode == 0)
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"), arguments: ["login", "signup"])
    func `a login or signup that cannot save its session revokes it`(command: String) throws {
        let name = command == "login" ? "ada" : "bob"
        let before = try world.bytes(world.sessionFile())
        let end = try world.run(
            command, name, "--password-stdin", input: .password, under: .failing("renameat", "EROFS"))
        #expect(end.exitCode == 12)
        end.expectTranscript(in: "unsaved-result", command, of: world)
        #expect(try world.bytes(world.sessionFile()) == before)
        #expect(try world.sessionCount() == 1)
        #expect(try world.logIn(name).exitCode == 0)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a password change that cannot save the new session reports the change`() throws {
        let end = try world.run(
            "password", "change", "--password-stdin", input: "\(Sandbox.password)\nbattery staple\n",
            under: .failing("renameat", "EIO"))
        #expect(end.exitCode == 12)
        end.expectTranscript(in: "unsaved-result", of: world)
        #expect(try world.logIn("ada").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "battery staple\n").exitCode == 0)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a revocation of all sessions that cannot delete the session file reports it`() throws {
        let end = try world.run("sessions", "revoke", "--all", under: .failing("unlinkat", "EIO"))
        #expect(end.exitCode == 12)
        end.expectTranscript(in: "unsaved-result", of: world)
        #expect(try world.run("logout").exitCode == 0)
        #expect(try world.sessionCount() == 0)
    }
}

extension [String] {
    /// Runs a command whose first call of this name fails.
    fileprivate static func failing(_ call: String, _ failure: String) -> [String] {
        ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call):error=\(failure):when=1"]
    }
}
