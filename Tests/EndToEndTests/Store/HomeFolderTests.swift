import Foundation
import TestSupport
import Testing

/// Which folders files are stored in. No other folder gets a file.
@Suite(.keepsInvariants) struct HomeFolderTests {
    private let world: Sandbox
    /// The working folder of every run. It must stay empty.
    private let folder: String

    init() throws {
        world = try Sandbox()
        folder = "\(world.root)/work"
        mkdir(folder, 0o700)
    }

    @Test(arguments: [nil, "", "relative/home", "/dev/null", "/proc/nowhere"])
    func `without a home folder a command fails and writes nothing`(home: String?) throws {
        for words in [["signup", "ada", "--password-stdin"], ["profile", "add", "ci", "--backend", "local"]] {
            let result = try world.start(words, input: .password, environment: ["HOME": home], folder: folder).wait()
            #expect(result.exitCode == 12, "\(words)")
            #expect(result.stdout.isEmpty)
            if words[0] == "signup" {
                let situation = home.map { "HOME is '\($0)'" } ?? "HOME is not set"
                result.expectTranscript(in: "files", situation, of: world)
            }
        }
        expectNothingStray()
    }

    @Test func `a missing home folder is not created`() throws {
        let home = "\(world.root)/not-there"
        #expect(
            try world.run("signup", "ada", "--password-stdin", input: .password, environment: ["HOME": home]).exitCode
                == 12)
        #expect(!world.isThere(home))
    }

    @Test func `without a home folder a session from the environment still works`() throws {
        try world.signUp("ada")
        let environment: [String: String?] = [
            "HOME": nil, "AUTHCTL_TOKEN": try world.token(), "AUTHCTL_BACKEND": "local",
            "AUTHCTL_DATA_DIR": world.dataFolder,
        ]
        let result = try world.run("whoami", "--json", environment: environment, folder: folder)
        #expect(result.exitCode == 0)
        #expect(try result.document().object("user").string("username") == "ada")
        expectNothingStray()
    }

    @Test func `AUTHCTL_CONFIG_DIR and AUTHCTL_DATA_DIR override the XDG folders`() throws {
        let environment = [
            "XDG_CONFIG_HOME": "\(world.root)/config", "XDG_DATA_HOME": "\(world.root)/data",
            "AUTHCTL_CONFIG_DIR": "\(world.root)//own-config/", "AUTHCTL_DATA_DIR": "\(world.root)/own-data",
        ]
        let signup = try world.run("signup", "ada", "--password-stdin", input: .password, environment: environment)
        #expect(signup.exitCode == 0)
        #expect(world.isThere("\(world.root)/own-config/sessions/default~~\(Sandbox.localHash).json"))
        #expect(world.isThere("\(world.root)/own-data/local.db"))
        #expect(!world.isThere("\(world.root)/config") && !world.isThere("\(world.root)/data"))
    }

    @Test func `files in the working folder are not read as configuration`() throws {
        for name in ["config.json", ".authctl", ".authctl.json", "authctl.json", ".env", ".config/authctl/config.json"]
        {
            try world.write(#"{"v":1,"profiles":{"default":{"backend":"evil"}}}"#, to: "\(folder)/\(name)")
        }
        #expect(try world.run("profile", "show", folder: folder).stdout.hasPrefix("name:    default"))
    }

    @Test func `commands that only read create no files`() throws {
        for words in [
            ["whoami"], ["whoami", "--offline"], ["token"], ["sessions"], ["logout"], ["profile", "list"],
            ["profile", "show"], ["help"], ["version"], [],
        ] {
            _ = try world.start(words, folder: folder).wait()
            #expect(world.contents(of: world.home) == [], "\(words)")
        }
        expectNothingStray()
    }

    private func expectNothingStray() {
        #expect(world.contents(of: folder) == [])
    }
}
