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

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `a read-only configuration behind a link is read, and a failed change names the link's target`() throws {
        try world.runScript("mkdir -m 755 ~/team && mv '\(world.configurationFile)' ~/team/shared.json")
        #expect(symlink("../../team/shared.json", world.configurationFile) == 0)
        let team = "\(world.home)/team"
        let under: [String] =
            ["/usr/bin/unshare", "-m"]
            + .shell("mount --bind '\(team)' '\(team)' && mount -o remount,ro,bind '\(team)'")
        #expect(try world.run("profile", "show", "ci", under: under).exitCode == 0)
        let change = try world.run("profile", "add", "two", "--backend", "local", under: under)
        #expect(change.exitCode == 12)
        #expect(change.stderr.contains("cannot write '\(team)/shared.json': read-only file system"))
        #expect(try world.run("profile", "use", "ci", under: under).exitCode == 0)
    }

    @Test func `the command of the hint moves a link to an invalid configuration, not its target`() throws {
        let target = "\(world.home)/team.json"
        unlink(world.configurationFile)
        #expect(symlink(target, world.configurationFile) == 0)
        try world.write("{", to: target)
        let hint = try #require(try world.run("whoami").stderr.firstMatch(of: /(mv .*)\n/)?.1)
        try world.runScript(String(hint))
        #expect(world.isThere(target) && !world.isThere(world.configurationFile))
        #expect(try world.run("whoami").exitCode == 3)
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
