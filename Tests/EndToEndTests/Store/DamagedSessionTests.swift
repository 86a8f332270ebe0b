import Foundation
import TestSupport
import Testing

/// A damaged session file is not used, not treated as missing, and not overwritten.
@Suite(.keepsSecrets) struct DamagedSessionTests {
    private let world: Sandbox
    private let whole: [UInt8]

    init() throws {
        world = try Sandbox()
        try world.signUp("ada", "--email", "ada@example.org")
        whole = try world.bytes(world.sessionFile())
    }

    private static let damages: [(name: String, change: @Sendable ([UInt8]) -> [UInt8])] = [
        ("empty", { _ in [] }),
        ("cut in the middle", { Array($0.prefix($0.count / 2)) }),
        ("one bit", { $0.enumerated().map { $0 == 200 ? $1 ^ 1 : $1 } }),
        ("over the limit", { $0 + [UInt8](repeating: 0x20, count: 2_000_000) }),
    ]

    @Test(arguments: damages.indices)
    func `a damaged session file is reported with path and position and stays unchanged`(index: Int) throws {
        let damage = Self.damages[index]
        let bytes = damage.change(whole)
        try world.write(bytes, to: world.sessionFile())
        let all = [
            ["whoami"], ["login", "ada", "--password-stdin"], ["whoami", "--offline"], ["token"],
            ["signup", "bob", "--password-stdin"], ["sessions"],
        ]
        for words in index == 0 ? all : Array(all.prefix(2)) {
            let result = try world.start(words + ["--json"], input: .password).wait()
            #expect(result.exitCode == 12, "\(damage.name): \(words)")
            #expect(result.stdout.isEmpty)
            let error = try result.error()
            #expect(error.string("reason") == "corrupt", "\(damage.name): \(words)")
            let message = error.string("message") ?? ""
            #expect(message.contains("'\(world.sessionFile())'"))
            #expect(message.contains(/byte|\d+ bytes/), "\(message)")
        }
        #expect(try world.bytes(world.sessionFile()) == bytes)
        #expect(try world.sessionCount() == 1)
    }

    @Test(arguments: damages.indices, [[], ["--offline"], ["--all-profiles"]])
    func `logout deletes a damaged session file, and reports that the session may still be valid`(
        index: Int, words: [String]
    ) throws {
        try world.write(Self.damages[index].change(whole), to: world.sessionFile())
        let logout = try world.start(["logout", "--json"] + words).wait()
        #expect(logout.exitCode == (words == ["--offline"] ? 0 : 8), "\(logout.everything)")
        #expect(try logout.document().flag("forgotten") == true)
        #expect(try logout.document().string("revoked") == "unknown")
        #expect(!world.isThere(world.sessionFile()))
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `logout deletes a session file of a newer version`() throws {
        let newer = Array(#"{"v":2,"#.utf8) + whole.dropFirst(7)
        try world.write(newer, to: world.sessionFile())
        #expect(try world.run("logout").exitCode == 8)
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test func `a session file of a newer version is rejected and kept`() throws {
        let newer = Array(#"{"v":999"#.utf8) + whole.dropFirst(6)
        try world.write(newer, to: world.sessionFile())
        for words in [["whoami"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words + ["--json"], input: .password).wait()
            #expect(result.exitCode == 12)
            #expect(try result.error().string("reason") == "newer-version")
        }
        #expect(try world.bytes(world.sessionFile()) == newer)
    }

    @Test func `a session file copied from another profile is rejected`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.write(whole, to: world.sessionFile("ci"))
        let result = try world.run("token", "-p", "ci")
        #expect(result.exitCode == 12)
        #expect(result.stderr.contains("profile 'default'"))
    }

    @Test func `a damaged session file leaves the other profiles working`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.logIn("ada", "-p", "ci")
        try world.write([], to: world.sessionFile())
        #expect(try world.run("whoami", "-p", "ci").exitCode == 0)
        let list = try world.run("profile", "list")
        #expect(list.exitCode == 0)
        #expect(list.stdout.contains("ci"))
        #expect(list.warnings.count == 1)
    }

    @Test func `the command of the hint moves a damaged session file away`() throws {
        try world.write([], to: world.sessionFile())
        let hint = try #require(try world.run("whoami").stderr.firstMatch(of: /(mv .*)\n/)?.1)
        #expect(try world.runScript(String(hint)).exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `the message about a truncated session file names its path and a command`() throws {
        try world.write(Array(whole.prefix(100)), to: world.sessionFile())
        try world.run("whoami").expectTranscript(in: "files", of: world)
    }
}

extension Sandbox {
    func sessionCount() throws -> Int64 { try integer("SELECT count(*) FROM sessions") }
}
