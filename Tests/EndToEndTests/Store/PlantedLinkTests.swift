import Foundation
import TestSupport

/// An attacker plants links where authctl creates its files. authctl never changes the file to which a link points.
@Suite(.mostlyWaits, .keepsSecrets) struct PlantedLinkTests {
    private let world = Sandbox()
    private let victim: String

    init() throws {
        victim = "\(world.root)/victim"
        try world.write("not yours\n", to: victim)
        chmod(victim, 0o644)
        try world.runScript("touch -d 2020-01-01 '\(victim)'")
    }

    @Test(arguments: [
        "sessions/.authctl-new-room", "sessions/.authctl-new-0123456789abcdef", "sessions/.lock",
        "sessions/.lock-default~~\(Sandbox.localHash)", "sessions/default~~\(Sandbox.localHash).json.tmp",
        "sessions/default~~\(Sandbox.localHash).json.bak", "sessions/default~~\(Sandbox.localHash).json",
        ".lock", ".authctl-new-0123456789abcdef", "config.json.tmp", "config.json.bak",
    ])
    func `authctl never writes through a symbolic link planted in the configuration folder`(name: String) throws {
        try world.signUp("ada")
        try plant("\(world.configurationFolder)/\(name)")
        for words in [["login", "ada", "--password-stdin"], ["profile", "add", "two", "--backend", "local"]] {
            let result = try world.start(words, input: .password).wait()
            #expect([0, 12].contains(result.exitCode), "\(result.everything)")
        }
        try expectUntouched()
    }

    @Test(arguments: [
        "local.db", "local.db-wal", "local.db-shm", "local.db-journal", "local.db.new", "local.db.new-wal",
        "local.db.new-shm", "local.db.new-journal", ".lock", "mail",
    ])
    func `authctl never writes through a symbolic link planted in the data folder`(name: String) throws {
        for isThere in [false, true] {
            if isThere {
                try world.runScript("rm -rf ~/.config ~/.local")
                try world.signUp("ada", "--email", "ada@example.org")
            }
            try plant("\(world.dataFolder)/\(name)")
            for words in [
                ["signup", "bob", "--password-stdin"], ["login", "ada", "--password-stdin"],
                ["password", "reset", "ada@example.org"],
            ] {
                let result = try world.start(words, input: .password).wait()
                #expect([0, 4, 12].contains(result.exitCode), "\(result.everything)")
            }
            try expectUntouched()
        }
    }

    private func plant(_ path: String) throws {
        try world.runScript("umask 077; mkdir -p \"$(dirname '\(path)')\"; rm -rf '\(path)'")
        expect(symlink(victim, path), 0)
    }

    private func expectUntouched() throws {
        try expect(world.text(victim), "not yours\n")
        expect(world.mode(victim), 0o644)
        let stamp = try world.runScript("stat -c %Y '\(victim)'; date -d 2020-01-01 +%s").stdout.split(separator: "\n")
        expect(stamp[0], stamp[1])
    }
}
