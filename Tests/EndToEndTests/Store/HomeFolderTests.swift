import Foundation
import TestSupport

/// The folders in which authctl stores files. authctl writes to no other folder.
@Suite(.mostlyWaits, .keepsStore) struct HomeFolderTests {
    private let world = Sandbox()
    /// The working directory of most runs, in which authctl must create no file.
    private let folder: String

    init() throws {
        folder = "\(world.root)/work"
        mkdir(folder, 0o700)
    }

    @Test(arguments: [nil, "", "relative/home", "/dev/null", "/proc/nowhere"])
    func `a command without a usable HOME fails and writes no files`(home: String?) throws {
        for words in [["signup", "ada", "--password-stdin"], ["profile", "add", "ci", "--backend", "local"]] {
            let result = try world.start(words, input: .password, environment: ["HOME": home], folder: folder).wait()
            expect(result.exitCode, 12, "\(words)")
            #expect(result.stdout.isEmpty)
            if words[0] == "signup" {
                let situation = home.map { "HOME is '\($0)'" } ?? "HOME is not set"
                result.expectTranscript(in: "files", situation, of: world)
            }
        }
        expect(world.contents(of: folder), [])
    }

    @Test(arguments: ["HOME", "AUTHCTL_CONFIG_DIR", "AUTHCTL_DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR"])
    func `a folder variable that is not UTF-8 or ends in a carriage return is rejected before a file is written`(
        variable: String
    ) throws {
        for ending in [#"\xe9"#, #"\r"#] {
            let under: [String] = .shell("export \(variable)=\"$HOME\"/c$'\(ending)'")
            for words in [["signup", "ada", "--password-stdin"], ["serve", "--", "true"]] {
                // `signup` writes no temporary files, and `serve` no configuration.
                guard (words[0] == "serve") == (variable == "TMPDIR") else { continue }
                let result = try world.start(words, input: .password, under: under, folder: folder).wait()
                expect(result.exitCode, 2)
                #expect(result.stderr.contains("(from \(variable)) "))
            }
        }
        expect(world.contents(of: world.home), [])
    }

    @Test func `commands that have nothing to save create no files`() throws {
        for words in [
            ["whoami"], ["whoami", "--offline"], ["token"], ["sessions"], ["logout"], ["profile", "list"],
            ["profile", "show"], ["help"], ["version"], [],
        ] {
            _ = try world.start(words, folder: folder).wait()
            expect(world.contents(of: world.home), [], "\(words)")
        }
        expect(world.contents(of: folder), [])
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a command opens no file in the working directory`() throws {
        let settings = #"{"v":1,"profiles":{"default":{"backend":"evil"}}}"#
        for name in [
            ".authctl.json", ".authctlrc", "authctl.json", "config.json", "authctl/config.json", ".env",
            ".config/authctl/config.json",
        ] {
            try world.write(settings, to: "\(folder)/\(name)")
        }
        let trace = "\(world.root)/trace"
        let show = try world.run("profile", "show", under: .strace("%file", into: trace), folder: folder)
        #expect(show.stdout.hasPrefix("name:    default"))
        let lines = try world.text(trace).split(separator: "\n").filter { !$0.contains("execve(") }
        #expect(!lines.isEmpty)
        #expect(!lines.contains { $0.contains(folder) || $0.contains(/(AT_FDCWD, |\()"[^\/]/) })
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `commands work without /proc`() throws {
        let script = """
            mount -t tmpfs none /proc || exit 99
            "$A" signup ada --password-stdin <<<'\(Sandbox.password)' >/dev/null || exit 98
            "$A" token >/dev/null || exit 97
            "$A" logout
            """
        let result = try world.start(
            [], environment: ["A": BuiltBinary.path],
            program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]
        ).wait()
        expect(result.exitCode, 0, "\(result.stderr)")
    }
}
