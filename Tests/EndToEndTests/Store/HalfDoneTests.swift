import Foundation
import TestSupport
import Testing

/// What was done but could not be kept or shown: what is true now is said, with the one command that goes on from there.
@Suite(.keepsInvariants) struct HalfDoneTests {
    private let world: Sandbox

    /// Commands with what they did before nobody could be told, and what shows it.
    static let operations: [(words: [String], done: String, shownBy: String)] = [
        (
            ["signup", "bob", "--password-stdin"],
            "created account bob and logged in (profile 'default', accounts on this machine)", "whoami"
        ),
        (
            ["signup", "bob", "--password-stdin", "--no-login"],
            "created account bob (profile 'default', accounts on this machine)", "login -- bob"
        ),
        (
            ["login", "ada", "--password-stdin"],
            "logged in as ada (profile 'default', accounts on this machine)", "whoami"
        ),
        (["profile", "add", "ci", "--backend", "local"], "added profile 'ci'", "profile list"),
        (["logout"], "logged out (profile 'default')", "profile list"),
        (["sessions", "revoke", "--others"], "ended 0 sessions", "sessions"),
        (
            ["password", "reset", "ada@example.org"],
            "if an account has the address ada@example.org, a mail is on its way: follow its link",
            "password reset ada@example.org"
        ),
    ]

    init() throws {
        world = try Sandbox()
        try world.signUp("ada", "--email", "ada@example.org")
    }

    @Test(arguments: operations, [false, true])
    func `an operation whose output cannot be written is reported in the error`(
        operation: (words: [String], done: String, shownBy: String), inJSON: Bool
    ) throws {
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(device) }
        let words = operation.words + (inJSON ? ["--json"] : [])
        let end = try world.start(words, input: .password, output: device).wait()
        #expect(end.exitCode == 12)
        let message = "\(operation.done): cannot write to standard output: no space left on device"
        let hint = "only this output is lost; see how it is: authctl \(operation.shownBy)"
        if inJSON {
            #expect(try end.error().string("message") == message)
            #expect(try end.error().string("hint") == hint)
        } else {
            #expect(end.errorLines.suffix(2) == ["authctl: error: \(message)", "authctl: hint: \(hint)"])
        }
        let shown = try world.runScript("AUTHCTL_PASSWORD='\(Sandbox.password)' \"$A\" \(operation.shownBy)")
        #expect(shown.exitCode == 0, "\(shown.stderr)")
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a session that the server ended and that cannot be forgotten is no log-out`() throws {
        let token = try world.token()
        let end = try world.run("logout", under: .failing("unlinkat", "EIO"))
        #expect(end.exitCode == 12)
        #expect(
            end.stdout
                == "the session is ended at the server, but forgetting it here failed (profile 'default')\n")
        #expect(end.stderr.contains("hint: once that is fixed, forget it: authctl logout\n"))
        #expect(try world.token() == token)
        #expect(try world.run("logout").stdout.hasPrefix("logged out"))
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"), arguments: ["login", "signup"])
    func `a session that cannot be kept is ended, and the way to another one is named`(command: String) throws {
        let name = command == "login" ? "ada" : "bob"
        let before = try world.bytes(world.sessionFile())
        let end = try world.run(
            command, name, "--password-stdin", input: .password, under: .failing("renameat", "EROFS"))
        #expect(end.exitCode == 12)
        let done = command == "login" ? "the log-in as 'ada' succeeded" : "account 'bob' was created"
        #expect(end.stderr.contains("\(done), but its session could not be kept and was ended again: cannot write '"))
        #expect(end.stderr.contains("hint: once that is fixed, log in: authctl login \(name)\n"))
        #expect(try world.bytes(world.sessionFile()) == before)
        #expect(try world.sessionCount() == 1)
        #expect(try world.logIn(name).exitCode == 0)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a password that was changed is said to be, whatever becomes of the new session`() throws {
        let end = try world.run(
            "password", "change", "--password-stdin", input: "\(Sandbox.password)\nbattery staple\n",
            under: .failing("renameat", "EIO"))
        #expect(end.exitCode == 12)
        #expect(end.stderr.contains("the password was changed, but the new session could not be kept: cannot write '"))
        #expect(
            end.stderr.contains("hint: once that is fixed, log in with the new password: authctl login\n"))
        #expect(try world.logIn("ada").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "battery staple\n").exitCode == 0)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `sessions that were ended are said to be, though the own one cannot be forgotten`() throws {
        let end = try world.run("sessions", "revoke", "--all", under: .failing("unlinkat", "EIO"))
        #expect(end.exitCode == 12)
        #expect(
            end.stderr.contains(
                "the sessions were ended, but forgetting the one of this profile here failed: cannot write '"))
        #expect(end.stderr.contains("hint: once that is fixed, forget it: authctl logout\n"))
        #expect(try world.run("logout").exitCode == 0)
        #expect(try world.sessionCount() == 0)
    }
}

extension [String] {
    /// Has the first of these system calls fail.
    fileprivate static func failing(_ call: String, _ failure: String) -> [String] {
        ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call):error=\(failure):when=1"]
    }
}
