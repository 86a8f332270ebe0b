import Foundation
import TestSupport

/// Files and folders that other users own or can change are rejected and left unchanged.
@Suite(.mostlyWaits, .keepsSecrets) struct UnsafePathTests {
    private let world = Sandbox()

    /// Paths relative to the home folder.
    static let paths = [
        ".config/authctl/config.json", ".config/authctl/sessions/default~~\(Sandbox.localHash).json",
        ".config/authctl/sessions", ".config/authctl", ".local/share/authctl/local.db", ".local/share/authctl",
    ]

    init() throws {
        try world.signUp("ada")
        try world.run("profile", "add", "ci", "--backend", "local", "--no-use")
    }

    @Test(arguments: paths)
    func `a file or folder writable by other users is rejected, and the hint's command fixes its mode`(
        path: String
    ) throws {
        let path = "\(world.home)/\(path)"
        expect(chmod(path, mode_t(try #require(world.mode(path))) | 0o020), 0)
        let before = world.snapshot()
        for words in [["whoami"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words, input: .password).wait()
            expect(result.exitCode, 12, "\(words)")
            #expect(result.stderr.contains("'\(path)' is writable by other users"))
        }
        expect(world.snapshot(), before)
        let rejected = try world.run("whoami")
        if path == world.sessionFolder { rejected.expectTranscript(in: "files", of: world) }
        let hint = try #require(rejected.stderr.firstMatch(of: /(chmod .*)\n/)?.1)
        try world.runScript(String(hint))
        try expect(world.run("whoami").exitCode, 0)
    }

    @Test(.enabled(if: Host.isRoot && Host.hasUtilLinux, "needs root and setpriv"))
    func `a session file or database owned by root is rejected if another user runs authctl`() throws {
        // The build folder may be inaccessible to other users.
        try world.runScript("cp '\(BuiltBinary.path)' '\(world.root)/authctl' && chmod 755 '\(world.root)/authctl'")
        for path in [world.sessionFile(), world.database] {
            try world.runScript("chown -R 1000:1000 ~ && chown 0 '\(path)' && chmod 644 '\(path)'")
            let result = try world.start(
                ["whoami"], under: ["/usr/bin/setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"],
                program: ["\(world.root)/authctl"]
            ).wait()
            expect(result.exitCode, 12)
            #expect(result.stderr.contains("'\(path)' belongs to another user (uid 0)"), "\(result.stderr)")
        }
    }
}
