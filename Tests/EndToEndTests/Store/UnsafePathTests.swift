import Foundation
import TestSupport
import Testing

/// Files and folders that other users own or can change are rejected unchanged.
@Suite(.keepsSecrets) struct UnsafePathTests {
    private let world: Sandbox

    /// Relative to the home folder.
    static let paths = [
        ".config/authctl/config.json", ".config/authctl/sessions/default~~\(Sandbox.localHash).json",
        ".config/authctl/sessions", ".config/authctl", ".local/share/authctl/local.db", ".local/share/authctl",
    ]

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
        try world.run("profile", "add", "ci", "--backend", "local")
    }

    @Test(arguments: paths)
    func `a folder or file that other users can change is rejected, and the command of the hint fixes it`(
        path: String
    ) throws {
        let path = "\(world.home)/\(path)"
        #expect(chmod(path, mode_t(try #require(world.mode(path))) | 0o020) == 0)
        let before = world.snapshot()
        for words in [["whoami"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.exitCode == 12, "\(words)")
            #expect(result.stderr.contains("'\(path)' is writable by other users"))
        }
        #expect(world.snapshot() == before)
        let rejected = try world.run("whoami")
        if path == world.sessionFolder { rejected.expectTranscript(in: "files", of: world) }
        let hint = try #require(rejected.stderr.firstMatch(of: /(chmod .*)\n/)?.1)
        try world.runScript(String(hint))
        #expect(try world.run("whoami").exitCode == 0)
    }
}
