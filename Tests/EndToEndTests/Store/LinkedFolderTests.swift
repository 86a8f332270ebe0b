import Foundation
import TestSupport
import Testing

/// Symbolic links in place of folders are followed only if no other user can change them. A dangling link is not
/// treated as a missing folder.
@Suite(.keepsSecrets) struct LinkedFolderTests {
    private let world: Sandbox

    /// Relative to the home folder.
    static let folders = [".config", ".config/authctl", ".config/authctl/sessions"]
    private static let commands = [
        ["whoami"], ["token"], ["whoami", "--offline"], ["logout"], ["login", "ada", "--password-stdin"],
    ]

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
        try world.run("profile", "add", "ci", "--backend", "local")
    }

    @Test(arguments: folders)
    func `a dangling link in place of a folder is not taken for a missing folder`(folder: String) throws {
        try world.runScript("cd ~ && mv '\(folder)' away && ln -s ~/nowhere '\(folder)'")
        try expectRefusal(of: "\(world.home)/\(folder)' is a dangling symbolic link")
        #expect(!world.isThere("\(world.home)/nowhere"))
    }

    @Test func `a dangling link in place of the database folder is reported and not followed`() throws {
        try world.runScript("mv ~/.local/share/authctl ~/away && ln -s ~/nowhere ~/.local/share/authctl")
        for words in [["whoami"], ["login", "ada", "--password-stdin"], ["signup", "bob", "--password-stdin"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.exitCode == 12)
            #expect(result.stderr.contains("'\(world.dataFolder)'"), "\(result.stderr)")
        }
        #expect(!world.isThere("\(world.home)/nowhere"))
    }

    @Test(arguments: folders + [".local/share/authctl"])
    func `a link to a private folder works and is kept`(folder: String) throws {
        try world.runScript("cd ~ && mv '\(folder)' safe && ln -s ~/safe '\(folder)'")
        for words in [["whoami"], ["login", "ada", "--password-stdin"], ["profile", "use", "ci"], ["logout"]] {
            #expect(try world.start(words, input: .password).wait().exitCode == 0, "\(words)")
        }
        #expect(world.status("\(world.home)/\(folder)")!.st_mode & S_IFMT == S_IFLNK)
    }

    @Test(arguments: folders)
    func `a link in a folder that other users can change is rejected`(folder: String) throws {
        try world.runScript(
            """
            cd ~ && mkdir shared && chmod 777 shared && mv '\(folder)' safe
            ln -s ../safe shared/way && ln -s ~/shared/way '\(folder)'
            """)
        let before = world.snapshot()
        try expectRefusal(of: "'\(world.home)/shared' is writable by other users")
        #expect(world.snapshot() == before)
    }

    @Test(.enabled(if: Host.isRoot, "needs root"), arguments: folders)
    func `a link of another user is rejected`(folder: String) throws {
        try world.runScript("cd ~ && mv '\(folder)' safe && ln -s ~/safe '\(folder)' && chown -h 65534 '\(folder)'")
        try expectRefusal(of: "\(world.home)/\(folder)' is a link that belongs to another user (uid 65534)")
    }

    @Test func `a configuration behind a link that other users can change is rejected`() throws {
        try world.runScript(
            """
            cd ~ && mkdir shared && chmod 777 shared && mv .config/authctl/config.json safe.json
            ln -s ../safe.json shared/way && ln -s ~/shared/way .config/authctl/config.json
            """)
        try expectRefusal(of: "'\(world.home)/shared' is writable by other users")
    }

    private func expectRefusal(of text: String) throws {
        for words in Self.commands {
            let result = try world.start(words, input: .password).wait()
            #expect(result.exitCode == 12, "\(words)")
            #expect(result.stdout.isEmpty)
            #expect(result.stderr.contains(text), "\(words): \(result.stderr)")
        }
    }
}
