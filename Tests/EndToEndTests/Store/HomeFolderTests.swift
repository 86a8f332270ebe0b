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

    @Test(arguments: [nil, "", "relative/home", "/nowhere/at-all", "/dev/null"])
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
        #expect(!world.isThere("/nowhere") && !world.isThere("/.config") && !world.isThere("/.local"))
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

    @Test func `the XDG folders are used`() throws {
        let environment = ["XDG_CONFIG_HOME": "\(world.root)/config", "XDG_DATA_HOME": "\(world.root)/data"]
        let signup = try world.run(
            "signup", "ada", "--password-stdin", input: .password, environment: environment, folder: folder)
        #expect(signup.exitCode == 0)
        #expect(world.isThere("\(world.root)/config/authctl/sessions/default~~\(Sandbox.localHash).json"))
        #expect(world.isThere("\(world.root)/data/authctl/local.db"))
        #expect(world.contents(of: world.home) == [])
        expectNothingStray()
    }

    @Test func `AUTHCTL_CONFIG_DIR and AUTHCTL_DATA_DIR override the XDG folders`() throws {
        let environment = [
            "XDG_CONFIG_HOME": "\(world.root)/config", "XDG_DATA_HOME": "\(world.root)/data",
            "AUTHCTL_CONFIG_DIR": "\(world.root)/own-config", "AUTHCTL_DATA_DIR": "\(world.root)/own-data",
        ]
        let signup = try world.run("signup", "ada", "--password-stdin", input: .password, environment: environment)
        #expect(signup.exitCode == 0)
        #expect(world.isThere("\(world.root)/own-config/sessions/default~~\(Sandbox.localHash).json"))
        #expect(world.isThere("\(world.root)/own-data/local.db"))
        #expect(!world.isThere("\(world.root)/config") && !world.isThere("\(world.root)/data"))
    }

    @Test(arguments: ["relative", "./here", "", "~/x"])
    func `a relative XDG folder is ignored`(value: String) throws {
        let environment = ["XDG_CONFIG_HOME": value, "XDG_DATA_HOME": value]
        let signup = try world.run(
            "signup", "ada", "--password-stdin", input: .password, environment: environment, folder: folder)
        #expect(signup.exitCode == 0)
        #expect(world.isThere(world.sessionFile()))
        #expect(world.isThere(world.database))
        expectNothingStray()
    }

    private static let folderVariables = [
        "XDG_CONFIG_HOME", "AUTHCTL_CONFIG_DIR", "XDG_DATA_HOME", "AUTHCTL_DATA_DIR",
    ]
    /// authctl accepts the root folder as a home (see `ContainerHomeTests`), but not as a folder for files.
    private static let invalidFolders =
        ["/../escaped", "/a\nb", "/x/.."].flatMap { end in (folderVariables + ["HOME"]).map { (end, $0) } }
        + folderVariables.map { ("/", $0) }

    @Test(arguments: invalidFolders)
    func `the root folder and a folder with '..' in its path are rejected`(end: String, variable: String) throws {
        let value = end == "/" ? end : world.root + end
        let signup = try world.run(
            "signup", "ada", "--password-stdin", input: .password, environment: [variable: value], folder: folder)
        #expect(signup.exitCode == 12)
        #expect(signup.stderr.contains("(from \(variable))"))
        #expect(signup.errorLines.allSatisfy { $0.hasPrefix("authctl: ") })
        #expect(!world.isThere("/.config") && !world.isThere("/authctl"))
        #expect(!world.contents(of: world.home).contains { $0.hasSuffix(".json") || $0.hasSuffix(".db") })
        expectNothingStray()
    }

    @Test(arguments: ["AUTHCTL_CONFIG_DIR", "AUTHCTL_DATA_DIR"])
    func `a relative AUTHCTL_CONFIG_DIR or AUTHCTL_DATA_DIR is rejected`(variable: String) throws {
        let result = try world.start(
            ["signup", "ada", "--password-stdin"], input: .password, environment: [variable: "here"], folder: folder
        ).wait()
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains(variable))
        expectNothingStray()
    }

    @Test func `redundant slashes in AUTHCTL_CONFIG_DIR mean the same folder`() throws {
        try world.signUp("ada")
        let environment = ["AUTHCTL_CONFIG_DIR": "\(world.home)//.config/./authctl/"]
        #expect(try world.run("whoami", environment: environment).exitCode == 0)
    }

    #if os(Linux)
        @Test func `a working folder whose name is not UTF-8 is rejected`() throws {
            let script = #"cd ~ && mkdir $'\xff' && cd $'\xff' && timeout 5 "$A" serve --port 0 --database x.db"#
            let end = try world.runScript(script)
            #expect(end.exitCode == 12)
            #expect(end.stderr.contains("'.'"))
            #expect(world.contents(of: world.home).count == 1)
        }
    #endif

    @Test func `files in the working folder are not read as configuration`() throws {
        for name in ["config.json", ".authctl", ".authctl.json", "authctl.json", ".env", ".config/authctl/config.json"]
        {
            try world.write(
                #"{"v":1,"current":"evil","profiles":{"evil":{"backend":"evil"}}}"#, to: "\(folder)/\(name)")
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
