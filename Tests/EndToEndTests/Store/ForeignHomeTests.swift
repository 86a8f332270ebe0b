import Foundation
import TestSupport
import Testing

/// Files of other users, and folders without write permission. authctl creates no files there or elsewhere. Whole home
/// folders of other users: `ContainerHomeTests`.
@Suite(.keepsSecrets, .enabled(if: Host.isRoot && Host.hasUtilLinux, "needs root and setpriv")) struct ForeignHomeTests
{
    private let world: Sandbox
    /// The working folder, also used for temporary files. It must stay empty.
    private let folder: String

    private static let writers = [
        ["signup", "bob", "--password-stdin"], ["login", "ada", "--password-stdin"],
        ["profile", "add", "ci", "--backend", "local"],
    ]

    init() throws {
        world = try Sandbox()
        folder = "\(world.root)/work"
        mkdir(folder, 0o777)
        chmod(folder, 0o777)
        // The build folder may be inaccessible to other users.
        try world.runScript("cp '\(BuiltBinary.path)' '\(world.root)/authctl' && chmod 755 '\(world.root)/authctl'")
    }

    @Test func `root neither reads nor changes another user's session`() throws {
        try world.signUp("ada")
        try world.runScript("chown -R 65534:65534 ~")
        let before = world.snapshot()
        for words in [["whoami"], ["token"], ["logout"], ["sessions"], ["profile", "list"]] + Self.writers {
            try expectRefusal(words, "belongs to another user (uid 65534)", as: 0)
        }
        #expect(world.snapshot() == before)
        #expect(world.contents(of: world.home).allSatisfy { world.status($0)?.st_uid == 65534 })
    }

    @Test(arguments: [0o755, 0o700] as [mode_t])
    func `another user neither reads nor changes root's session`(mode: mode_t) throws {
        try world.signUp("ada")
        chmod(world.home, mode)
        for words in [["whoami"], ["token"], ["logout"], ["sessions"], ["profile", "list"]] + Self.writers {
            try expectRefusal(words, "'\(world.configurationFolder)': permission denied", as: 65534)
        }
    }

    @Test func `another user creates no files in root's home folder`() throws {
        chmod(world.home, 0o755)
        for words in Self.writers {
            try expectRefusal(words, "cannot write '\(world.home)/.config': permission denied", as: 65534)
        }
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `in a read-only home folder reading works and no file appears elsewhere`() throws {
        try world.signUp("ada")
        let token = try world.token()
        try world.runScript(
            "chown -R 65534:65534 ~; chmod 500 ~/.config/authctl/sessions ~/.config/authctl ~/.config ~")
        for words in [["token"], ["whoami", "--offline"], ["profile", "list"]] {
            #expect(try run(words, as: 65534).exitCode == 0, "\(words)")
        }
        #expect(
            try run(["token"], as: 65534, ["AUTHCTL_TOKEN": "r:of-the-environment"]).stdout == "r:of-the-environment\n")
        for words in Self.writers { try expectRefusal(words, "permission denied", as: 65534) }
        let logout = try run(["logout"], as: 65534)
        #expect(logout.exitCode == 12)
        #expect(try world.text(world.sessionFile()).contains(token))
        #expect(world.contents(of: folder) == [])
    }

    @Test(.enabled(if: Host.hasImmutableFiles, "needs chattr and a file system that knows it"))
    func `a login whose session file is immutable revokes the new session`() throws {
        try world.signUp("ada")
        try world.runScript("chattr +i '\(world.sessionFile())'")
        defer { _ = try? world.runScript("chattr -i '\(world.sessionFile())'") }
        for words in [["token"], ["whoami"], ["profile", "list"]] {
            #expect(try world.start(words).wait().exitCode == 0, "\(words)")
        }
        let before = world.snapshot(world.sessionFolder)
        let login = try world.logIn("ada", "--json")
        #expect(login.exitCode == 12)
        #expect(try login.error().string("hint") != nil)
        #expect(try world.sessionCount() == 1)
        #expect(world.snapshot(world.sessionFolder) == before)
    }

    private func expectRefusal(_ words: [String], _ text: String, as user: uid_t) throws {
        let result = try run(words, as: user)
        #expect(result.exitCode == 12, "\(words): \(result.everything)")
        #expect(result.stderr.contains(text), "\(words): \(result.stderr)")
        #expect(world.contents(of: folder) == [])
    }

    private func run(_ words: [String], as user: uid_t, _ environment: [String: String] = [:]) throws -> Finished {
        let number = "\(user)"
        var variables: [String: String?] = ["TMPDIR": folder]
        if !environment.isEmpty { variables["AUTHCTL_BACKEND"] = "local" }
        return try world.start(
            words, input: .password, environment: variables.merging(environment) { $1 },
            under: ["/usr/bin/setpriv", "--reuid", number, "--regid", number, "--clear-groups"], folder: folder,
            program: ["\(world.root)/authctl"]
        ).wait()
    }
}
