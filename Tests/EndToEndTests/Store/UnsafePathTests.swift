import Foundation
import TestSupport
import Testing

/// Files that other users can change are rejected unchanged, with a command that fixes their mode.
@Suite(.keepsSecrets) struct UnsafePathTests {
    private let world: Sandbox

    /// Relative to the home folder.
    static let sessionPaths = [
        ".config/authctl/sessions/default~~\(Sandbox.localHash).json", ".config/authctl/sessions", ".config/authctl",
        ".config",
    ]
    static let configurationPaths = [".config/authctl/config.json", ".config/authctl", ".config"]
    static let dataPaths = [".local/share/authctl/local.db", ".local/share/authctl", ".local/share", ".local"]

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
        try world.run("profile", "add", "ci", "--backend", "local")
    }

    @Test(arguments: sessionPaths, [0o020, 0o002] as [mode_t])
    func `a session file that other users can change is rejected`(path: String, bits: mode_t) throws {
        let path = try loosen(path, bits)
        let before = world.snapshot(world.configurationFolder)
        for words in [["whoami"], ["token"], ["sessions"], ["logout"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.exitCode == 12, "\(words)")
            #expect(result.stderr.contains("'\(path)'"), "\(words)")
            // A name with a tilde is quoted for the shell.
            let word = path.contains("~") ? "'\(path)'" : path
            #expect(result.stderr.contains("chmod go-w \(word)\n"), "\(words)")
        }
        #expect(world.snapshot(world.configurationFolder) == before)
    }

    @Test func `a home folder that other users can change is rejected with variables to set`() throws {
        chmod(world.home, 0o707)
        for words in [["whoami"], ["profile", "list"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.exitCode == 12, "\(words)")
            #expect(result.stderr.contains("'\(world.home)' is writable by other users"))
            #expect(result.stderr.contains("export AUTHCTL_CONFIG_DIR="))
            #expect(result.stderr.contains("chmod") == !Host.isRoot)
        }
    }

    @Test(arguments: configurationPaths)
    func `a configuration that other users can change is rejected`(path: String) throws {
        let path = try loosen(path, 0o020)
        let before = world.snapshot(world.configurationFolder)
        for words in [["profile", "list"], ["profile", "add", "two", "--backend", "local"], ["whoami"]] {
            let result = try world.start(words).wait()
            #expect(result.exitCode == 12, "\(words)")
            #expect(result.stderr.contains("chmod go-w \(path)\n"), "\(words)")
        }
        #expect(world.snapshot(world.configurationFolder) == before)
    }

    @Test(arguments: dataPaths)
    func `a database that other users can change is rejected`(path: String) throws {
        let path = try loosen(path, 0o020)
        let before = world.snapshot()
        let result = try world.run("signup", "bob", "--password-stdin", "--json", input: .password)
        #expect(result.exitCode == 12)
        let error = try result.error()
        #expect(error.string("reason") == "unsafe")
        #expect(error.string("message")?.contains("'\(path)'") == true)
        #expect(error.string("hint")?.contains("chmod ") == true)
        #expect(world.snapshot() == before)
    }

    @Test(.enabled(if: Host.isRoot, "needs root"), arguments: Set(sessionPaths + dataPaths).sorted())
    func `a path that belongs to another user is rejected`(path: String) throws {
        let path = "\(world.home)/\(path)"
        let before = world.snapshot()
        #expect(chown(path, 65534, 65534) == 0)
        let result = try world.logIn("ada")
        #expect(result.exitCode == 12)
        #expect(result.stderr.contains("'\(path)'"))
        #expect(result.stderr.contains(" chown "))
        #expect(world.snapshot() == before)
    }

    @Test func `the command of the hint fixes the mode of a session file`() throws {
        let path = try loosen(".config/authctl/sessions/default~~\(Sandbox.localHash).json", 0o022)
        let hint = try #require(try world.run("whoami").stderr.firstMatch(of: /(chmod .*)\n/)?.1)
        try world.run("whoami").expectTranscript(in: "files", of: world)
        #expect(hint == "chmod go-w '\(path)'")
        try world.runScript(String(hint))
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `a link in place of the session file is rejected and kept`() throws {
        let target = "\(world.root)/elsewhere"
        try FileManager.default.moveItem(atPath: world.sessionFile(), toPath: target)
        #expect(symlink(target, world.sessionFile()) == 0)
        let before = try world.bytes(target)
        for words in [["whoami"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.exitCode == 12)
            #expect(result.stderr.contains(world.sessionFile()))
        }
        #expect(try world.bytes(target) == before)
        #expect(world.status(world.sessionFile())!.st_mode & S_IFMT == S_IFLNK)
    }

    @Test(arguments: ["mkdir", "mkfifo"])
    func `a folder in place of the session file is rejected`(command: String) throws {
        try world.runScript("rm '\(world.sessionFile())'; \(command) '\(world.sessionFile())'")
        #expect(try world.run("whoami").exitCode == 12)
        #expect(try world.logIn("ada").exitCode == 12)
    }

    @Test func `a link in place of a lock file is rejected and its target unchanged`() throws {
        let victim = "\(world.root)/victim"
        try world.write("mine", to: victim)
        let lock = "\(world.sessionFolder)/.lock"
        unlink(lock)
        #expect(symlink(victim, lock) == 0)
        #expect(try world.logIn("ada").exitCode == 12)
        #expect(try world.text(victim) == "mine")
    }

    @Test func `a configuration folder that links into a world-writable folder is rejected`() throws {
        let shared = "\(world.root)/shared"
        mkdir(shared, 0o777)
        chmod(shared, 0o777)
        try FileManager.default.moveItem(atPath: world.configurationFolder, toPath: "\(shared)/authctl")
        #expect(symlink("\(shared)/authctl", world.configurationFolder) == 0)
        #expect(try world.run("whoami").exitCode == 12)
        #expect(try world.logIn("ada").exitCode == 12)
    }

    @Test func `a configuration folder that links to a private folder works`() throws {
        let own = "\(world.home)/dotfiles"
        mkdir(own, 0o700)
        try FileManager.default.moveItem(atPath: world.configurationFolder, toPath: "\(own)/authctl")
        #expect(symlink("\(own)/authctl", world.configurationFolder) == 0)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
        #expect(try world.run("profile", "add", "two", "--backend", "local").exitCode == 0)
    }

    private func loosen(_ path: String, _ bits: mode_t) throws -> String {
        let path = "\(world.home)/\(path)"
        let mode = try #require(world.mode(path))
        // A group of several users. Others cannot change the group, and their own may be private.
        #expect(!Host.isRoot || chown(path, 0, 65534) == 0)
        let bits = Host.isRoot ? bits : 0o002
        #expect(chmod(path, mode_t(mode) | bits) == 0)
        return path
    }
}
