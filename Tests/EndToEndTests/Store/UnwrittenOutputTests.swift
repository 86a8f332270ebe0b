import Foundation
import TestSupport

/// Commands that succeed but cannot print their result.
@Suite(.mostlyWaits, .keepsStore) struct UnwrittenOutputTests {
    private let world = Sandbox()

    /// Commands, each with the command that the error's hint suggests to show the new state; `nil` if none can.
    static let operations: [(words: [String], stateCommand: String?)] = [
        (["signup", "bob", "--password-stdin"], "whoami"),
        (["signup", "bob", "--password-stdin", "--no-login"], "login -- bob"),
        (["login", "ada", "--password-stdin"], "whoami"),
        (["profile", "add", "ci", "--backend", "local"], "profile list"),
        (["logout"], "profile list"),
        (["sessions", "revoke", "--others"], "sessions"),
        (["password", "reset", "ada@example.org"], nil),
    ]

    init() throws {
        try world.signUp("ada", "--email", "ada@example.org")
    }

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"), arguments: operations)
    func `the error about unwritable output reports that the operation succeeded`(
        operation: (words: [String], stateCommand: String?)
    ) throws {
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(device) }
        let end = try world.start(operation.words, input: .password, output: device).wait()
        let step = operation.stateCommand.map { "; to see the state: authctl \($0)" } ?? ""
        expect(end.errorLines.last, "authctl: hint: the command itself succeeded\(step)")
        end.expectTranscript(in: "unwritten-output", operation.words.joined(separator: " "), of: world)
        guard let command = operation.stateCommand else { return }
        let shown = try world.runScript("AUTHCTL_PASSWORD='\(Sandbox.password)' \"$A\" \(command)")
        expect(shown.exitCode, 0, "\(shown.stderr)")
    }
}
