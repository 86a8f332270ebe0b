import Foundation
import TestSupport
import Testing

/// The operation succeeds, but its result cannot be printed. The hint names a command to run next.
@Suite(.keepsInvariants) struct UnwrittenOutputTests {
    private let world: Sandbox

    /// Commands, each with the command that the hint names.
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

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"), arguments: operations)
    func `the error about unwritable output reports that the operation succeeded`(
        operation: (words: [String], stateCommand: String)
    ) throws {
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(device) }
        let end = try world.start(operation.words, input: .password, output: device).wait()
        #expect(end.exitCode == 12)
        #expect(end.errorLines.last?.hasSuffix("authctl \(operation.stateCommand)") == true)
        end.expectTranscript(in: "unwritten-output", operation.words.joined(separator: " "), of: world)
        let shown = try world.runScript("AUTHCTL_PASSWORD='\(Sandbox.password)' \"$A\" \(operation.stateCommand)")
        #expect(shown.exitCode == 0, "\(shown.stderr)")
    }
}
