import Foundation
import TestSupport
import Testing

/// authctl's folders may be symbolic links. A dangling link is not treated as a missing folder.
@Suite(.keepsSecrets) struct LinkedFolderTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
        try world.run("profile", "add", "ci", "--backend", "local")
    }

    @Test(arguments: [".config/authctl", ".config/authctl/sessions", ".local/share/authctl"])
    func `a dangling link in place of a folder is not taken for a missing folder`(folder: String) throws {
        try world.runScript("cd ~ && mv '\(folder)' away && ln -s ~/nowhere '\(folder)'")
        for words in [["whoami"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.exitCode == 12, "\(words)")
            #expect(result.stderr.contains("\(world.home)/\(folder)' is a dangling symbolic link"))
        }
        #expect(!world.isThere("\(world.home)/nowhere"))
    }

    @Test(arguments: [".config", ".config/authctl", ".config/authctl/sessions", ".local/share/authctl"])
    func `a link to a folder works and is kept`(folder: String) throws {
        try world.runScript("cd ~ && mkdir shared && chmod 777 shared && mv '\(folder)' shared/safe")
        try world.runScript("cd ~ && ln -s ~/shared/safe '\(folder)'")
        for words in [["whoami"], ["login", "ada", "--password-stdin"], ["profile", "use", "ci"], ["logout"]] {
            #expect(try world.start(words, input: .password).wait().exitCode == 0, "\(words)")
        }
        #expect(world.status("\(world.home)/\(folder)")!.st_mode & S_IFMT == S_IFLNK)
    }
}
