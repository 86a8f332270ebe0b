import Foundation
import TestSupport
import Testing

/// Modes of stored files from their creation on.
@Suite(.keepsSecrets) struct FileModeTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test(arguments: ["000", "022", "077", "0777"])
    func `files have mode 0600 and folders 0700 whatever the umask`(mask: String) throws {
        let under: [String] = .shell("umask \(mask)")
        #expect(try world.run("signup", "ada", "--password-stdin", input: .password, under: under).exitCode == 0)
        #expect(try world.run("profile", "add", "ci", "--backend", "local", under: under).exitCode == 0)
        let modes = Dictionary(uniqueKeysWithValues: world.contents(of: world.home).map { ($0, world.mode($0)) })
        #expect(modes.count >= 9)
        for (path, mode) in modes {
            let isFolder = world.status(path)!.st_mode & S_IFMT == S_IFDIR
            #expect(mode == (isFolder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `the database's log files have mode 0600`() throws {
        try world.signUp("ada")
        let trace = "\(world.root)/trace"
        let under: [String] = .shell("umask 000") + .strace("openat", into: trace)
        try world.run("login", "ada", "--password-stdin", input: .password, under: under)
        let made = try world.text(trace).split(separator: "\n").filter {
            $0.contains("local.db-") && $0.contains("O_CREAT")
        }
        #expect(!made.isEmpty)
        #expect(made.allSatisfy { $0.contains(", 0600)") })
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `every file is created with its final mode and O_EXCL`() throws {
        let trace = "\(world.root)/trace"
        let under: [String] = .shell("umask 000") + .strace("open,openat,creat,chmod,fchmod,fchmodat", into: trace)
        try world.run("signup", "ada", "--password-stdin", input: .password, under: under)
        let lines = try world.text(trace).split(separator: "\n")
        let made = lines.filter { $0.contains("O_CREAT") && !$0.contains("local.db") && !$0.contains("ENOENT") }
        #expect(made.count >= 2)
        #expect(made.allSatisfy { $0.contains("O_EXCL") && $0.contains("O_NOFOLLOW") && $0.contains("O_CLOEXEC") })
        #expect(made.allSatisfy { $0.contains(", 0600)") })
        #expect(!lines.contains { $0.contains("chmod") && $0.contains("authctl/sessions") })
    }

    @Test(arguments: ["0644", "0640", "0604"])
    func `a session file that other users could read gets mode 0600 and one warning`(mode: String) throws {
        try world.signUp("ada")
        chmod(world.sessionFile(), mode_t(mode, radix: 8)!)
        let login = try world.logIn("ada")
        #expect(login.exitCode == 0)
        #expect(login.warnings.count == 1)
        #expect(world.mode(world.sessionFile()) == 0o600)
        #expect(try world.logIn("ada").warnings.isEmpty)
    }

    @Test func `a configuration that other users could read gets mode 0600 and one warning`() throws {
        try world.run("profile", "add", "one", "--backend", "local")
        chmod(world.configurationFile, 0o644)
        let add = try world.run("profile", "add", "two", "--backend", "local")
        #expect(add.exitCode == 0)
        #expect(add.warnings.count == 1)
        #expect(world.mode(world.configurationFile) == 0o600)
        #expect(try world.run("profile", "add", "three", "--backend", "local").warnings.isEmpty)
    }

    @Test func `a database that other users could read gets mode 0600 and one warning`() throws {
        try world.signUp("ada")
        chmod(world.database, 0o644)
        let login = try world.logIn("ada")
        #expect(login.exitCode == 0)
        #expect(login.warnings.count == 1)
        #expect(world.mode(world.database) == 0o600)
        #expect(try world.logIn("ada").warnings.isEmpty)
    }

    @Test func `the warning about a file mode is in the JSON document`() throws {
        try world.signUp("ada")
        chmod(world.sessionFile(), 0o644)
        let login = try world.logIn("ada", "--json")
        #expect(login.stderr.isEmpty)
        #expect(try login.document().strings("warnings")?.count == 1)
    }

    @Test func `a command that only reads changes no file mode`() throws {
        try world.signUp("ada")
        chmod(world.sessionFile(), 0o644)
        #expect(try world.run("whoami", "--offline").exitCode == 0)
        #expect(try world.run("token").exitCode == 0)
        #expect(world.mode(world.sessionFile()) == 0o644)
    }

    @Test func `a hard link to the session file does not get the new token`() throws {
        try world.signUp("ada")
        let link = "\(world.root)/link"
        #expect(Foundation.link(world.sessionFile(), link) == 0)
        try world.logIn("ada")
        #expect(world.status(world.sessionFile())?.st_nlink == 1)
        #expect(world.status(world.sessionFile())?.st_ino != world.status(link)?.st_ino)
        #expect(try !world.text(link).contains(world.token()))
    }

    @Test func `commands leave no temporary files`() throws {
        try world.signUp("ada")
        try world.logIn("ada")
        let names = world.contents(of: world.sessionFolder).map { $0.dropFirst(world.sessionFolder.count + 1) }
        #expect(Set(names) == ["default~~\(Sandbox.localHash).json", ".lock"])
    }

    @Test func `temporary files of a killed process are removed`() throws {
        try world.signUp("ada")
        let leftover = "\(world.sessionFolder)/.authctl-new-0123456789abcdef"
        try world.write("half a sess", to: leftover)
        try world.logIn("ada")
        #expect(!world.isThere(leftover))
    }
}
