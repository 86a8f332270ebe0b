import Foundation
import TestSupport

/// The modes of stored files, at their creation and later.
@Suite(.mostlyWaits, .keepsSecrets) struct FileModeTests {
    private let world = Sandbox()

    @Test(arguments: ["000", "022", "077", "0777"])
    func `authctl creates files with mode 0600 and folders with mode 0700 for any umask`(mask: String) throws {
        let under: [String] = .shell("umask \(mask)")
        try expect(world.run("signup", "ada", "--password-stdin", input: .password, under: under).exitCode, 0)
        try expect(world.run("profile", "add", "ci", "--backend", "local", under: under).exitCode, 0)
        let modes = Dictionary(uniqueKeysWithValues: world.contents(of: world.home).map { ($0, world.mode($0)) })
        #expect(modes.count >= 9)
        for (path, mode) in modes {
            let isFolder = world.status(path)!.st_mode & S_IFMT == S_IFDIR
            expect(mode, (isFolder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a signup creates all files with mode 0600, and uses O_EXCL for all except SQLite's`() throws {
        let trace = "\(world.root)/trace"
        let under: [String] = .shell("umask 000") + .strace("open,openat,creat,chmod,fchmod,fchmodat", into: trace)
        try world.run("signup", "ada", "--password-stdin", input: .password, under: under)
        let lines = try world.text(trace).split(separator: "\n")
        let made = lines.filter { $0.contains("O_CREAT") && !$0.contains("local.db") && !$0.contains("ENOENT") }
        #expect(made.count >= 2)
        #expect(made.allSatisfy { $0.contains("O_EXCL") && $0.contains("O_NOFOLLOW") && $0.contains("O_CLOEXEC") })
        #expect(made.allSatisfy { $0.contains(", 0600)") })
        #expect(!lines.contains { $0.contains("chmod") && $0.contains("authctl/sessions") })
        let logs = lines.filter { $0.contains("local.db-") && $0.contains("O_CREAT") }
        #expect(!logs.isEmpty)
        #expect(logs.allSatisfy { $0.contains(", 0600)") })
    }

    @Test(arguments: ["session", "configuration", "database"])
    func `a write to a file readable by other users sets mode 0600 and prints one warning`(file: String) throws {
        try world.signUp("ada")
        try world.run("profile", "add", "one", "--backend", "local", "--no-use")
        let paths = [
            "session": world.sessionFile(), "configuration": world.configurationFile, "database": world.database,
        ]
        let path = try #require(paths[file])
        chmod(path, 0o644)
        try expect(world.run("token").exitCode, 0)
        expect(world.mode(path), 0o644)
        for (profile, count) in [("two", 1), ("three", 0)] {
            let words =
                file == "configuration"
                ? ["profile", "add", profile, "--backend", "local"] : ["login", "ada", "--password-stdin"]
            try expect(world.start(words, input: .password).wait().warnings.count, count)
            expect(world.mode(path), 0o600)
        }
    }
}
