import Foundation
import TestSupport
import Testing

/// `config.json`: invalid contents, links and owners.
@Suite struct ConfigurationFileTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.run("profile", "add", "ci", "--backend", "local")
    }

    @Test(arguments: [
        ("cut off", #"{"v": 1, "profiles": {"ci""#), ("a trailing comma", "{\"v\": 1,\n \"profiles\": {,}}\n"),
        ("an invalid profile name", #"{"v": 1, "profiles": {"../up": {"backend": "local"}}}"#),
    ])
    func `an invalid configuration is reported with path and position and stays unchanged`(
        situation: String, text: String
    ) throws {
        try world.write(text, to: world.configurationFile)
        for words in [["profile", "list"], ["profile", "add", "two", "--backend", "local"], ["whoami"]] {
            let result = try world.start(words).wait()
            #expect(result.exitCode == 12, "\(words)")
            if words == ["whoami"] { result.expectTranscript(in: "files", situation, of: world) }
        }
        #expect(try world.text(world.configurationFile) == text)
    }

    @Test func `a change writes through a symbolic link to the configuration`() throws {
        let target = "\(world.home)/dotfiles/config.json"
        mkdir("\(world.home)/dotfiles", 0o700)
        try FileManager.default.moveItem(atPath: world.configurationFile, toPath: target)
        #expect(symlink(target, world.configurationFile) == 0)
        #expect(try world.run("profile", "add", "two", "--backend", "local").exitCode == 0)
        #expect(world.status(world.configurationFile)!.st_mode & S_IFMT == S_IFLNK)
        #expect(try world.text(target).contains(#""two""#))
        #expect(world.mode(target) == 0o600)
        #expect(try world.run("profile", "show", "two").exitCode == 0)
    }

    @Test func `profile use leaves a configuration that a team shares unchanged`() throws {
        let team = "\(world.home)/team"
        mkdir(team, 0o755)
        chmod(team, 0o755)
        let target = "\(team)/config.json"
        let text = #"{"v":1,"current":"ci","profiles":{"ci":{"backend":"local"},"live":{"backend":"local"}}}"#
        try world.write(text, to: target)
        unlink(world.configurationFile)
        #expect(symlink(target, world.configurationFile) == 0)
        #expect(try world.run("profile", "show").stdout.hasPrefix("name:    ci (current)"))
        let inode = world.status(target)?.st_ino
        #expect(try world.run("profile", "use", "live").exitCode == 0)
        #expect(try world.run("profile", "show").stdout.hasPrefix("name:    live (current)"))
        #expect(try world.text(target) == text)
        #expect(world.status(target)?.st_ino == inode)
        #expect(world.mode(team) == 0o755)
        #expect(try world.text("\(world.configurationFolder)/current") == "live\n")
        #expect(world.mode("\(world.configurationFolder)/current") == 0o600)
        #expect(try world.run("profile", "remove", "live").exitCode == 0)
        #expect(try world.run("profile", "show").stdout.hasPrefix("name:    ci (current)"))
        #expect(!world.isThere("\(world.configurationFolder)/current"))
        #expect(try world.run("profile", "remove", "ci").exitCode == 0)
        #expect(try world.run("profile", "show").stdout.hasPrefix("name:    default (current)"))
    }

    @Test func `a damaged choice of a profile is reported with a command that works`() throws {
        try world.run("profile", "use", "ci")
        try world.write("no name\n", to: "\(world.configurationFolder)/current")
        let result = try world.run("whoami")
        #expect(result.exitCode == 12)
        result.expectTranscript(in: "files", of: world)
        let command = try #require(result.stderr.firstMatch(of: /hint: .*: (rm .*)\n/)?.1)
        try world.runScript(String(command))
        #expect(try world.run("profile", "use", "ci").exitCode == 0)
    }

    @Test func `a dangling link in place of the configuration is rejected and kept`() throws {
        unlink(world.configurationFile)
        #expect(symlink("\(world.home)/nowhere", world.configurationFile) == 0)
        for words in [["whoami"], ["profile", "add", "two", "--backend", "local"]] {
            let result = try world.start(words).wait()
            #expect(result.exitCode == 12)
            #expect(result.stderr.contains("'\(world.configurationFile)'"))
        }
        #expect(!world.isThere("\(world.home)/nowhere"))
        #expect(world.isThere(world.configurationFile))
    }

    @Test(.enabled(if: Host.isRoot, "needs root"))
    func `a link to another user's file is rejected`() throws {
        let target = "\(world.home)/theirs"
        try FileManager.default.moveItem(atPath: world.configurationFile, toPath: target)
        #expect(symlink(target, world.configurationFile) == 0)
        chown(target, 65534, 65534)
        let before = try world.bytes(target)
        #expect(try world.run("profile", "list").exitCode == 12)
        #expect(try world.run("profile", "add", "two", "--backend", "local").exitCode == 12)
        #expect(try world.bytes(target) == before)
    }
}
