import AuthClient
import AuthModel
import Foundation
import Platform
import TestSupport
import Testing

/// A session file that is not what was written: never used, never taken for none, never overwritten.
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
        ("cut after one byte", { Array($0.prefix(1)) }),
        ("cut in the middle", { Array($0.prefix($0.count / 2)) }),
        ("without its last byte", { Array($0.dropLast()) }),
        ("one bit", { $0.enumerated().map { $0 == 200 ? $1 ^ 1 : $1 } }),
        ("1 MB of NUL", { _ in [UInt8](repeating: 0, count: 1_000_000) }),
        ("over the limit", { $0 + [UInt8](repeating: 0x20, count: 2_000_000) }),
        ("a list", { _ in Array("[]\n".utf8) }),
        ("null", { _ in Array("null\n".utf8) }),
        ("an empty object", { _ in Array("{}\n".utf8) }),
        ("CRLF", { Array($0.dropLast()) + [0x0D, 0x0A] }),
        ("BOM", { [0xEF, 0xBB, 0xBF] + $0 }),
        ("twice", { $0 + $0 }),
        ("version 0", { Array(#"{"v":0"#.utf8) + $0.dropFirst(6) }),
    ]

    @Test(arguments: damages.indices)
    func `it is told with path and place, and stays as it is`(index: Int) throws {
        let damage = Self.damages[index]
        let bytes = damage.change(whole)
        try world.write(bytes, to: world.sessionFile())
        for words in [
            ["whoami"], ["whoami", "--offline"], ["token"], ["logout"], ["login", "ada", "--password-stdin"],
            ["signup", "bob", "--password-stdin"], ["sessions"], ["logout", "--offline"],
        ] {
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

    @Test func `what is kept of an unfinished sign-up is held to the same`() throws {
        for bytes in [[], Array(whole.prefix(100)), Array(#"{"v":999"#.utf8) + whole.dropFirst(6)] as [[UInt8]] {
            let path = "\(world.sessionFolder)/pending/default.json"
            try world.write(bytes, to: path)
            let result = try world.run(
                "verify-email", "--key", "ABCD-EFGH", "--backend", "allauth", "--server", "http://127.0.0.1:1")
            #expect(result.exitCode == 12)
            #expect(result.stderr.contains("'\(path)'"))
            #expect(try world.bytes(path) == bytes)
        }
    }

    @Test func `one of a newer version is refused as such and kept`() throws {
        let newer = Array(#"{"v":999"#.utf8) + whole.dropFirst(6)
        try world.write(newer, to: world.sessionFile())
        for words in [["whoami"], ["login", "ada", "--password-stdin"]] {
            let result = try world.start(words + ["--json"], input: .password).wait()
            #expect(result.exitCode == 12)
            #expect(try result.error().string("reason") == "newer-version")
        }
        #expect(try world.bytes(world.sessionFile()) == newer)
    }

    @Test func `one copied from another profile is not used`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.write(whole, to: world.sessionFile("ci"))
        let result = try world.run("token", "-p", "ci")
        #expect(result.exitCode == 12)
        #expect(result.stderr.contains("profile 'default'"))
    }

    @Test func `the other profiles work on`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.logIn("ada", "-p", "ci")
        try world.write([], to: world.sessionFile())
        #expect(try world.run("whoami", "-p", "ci").exitCode == 0)
        let list = try world.run("profile", "list")
        #expect(list.exitCode == 0)
        #expect(list.stdout.contains("ci"))
        #expect(list.warnings.count == 1)
    }

    @Test func `a move as the hint says makes room for a new one`() throws {
        try world.write([], to: world.sessionFile())
        let hint = try #require(try world.run("whoami").stderr.firstMatch(of: /log in again: (mv .*)\n/)?.1)
        #expect(try world.runScript(String(hint)).exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `cut at any byte it is an error`() throws {
        for length in 0..<whole.count {
            #expect(throws: AuthError.self, "\(length)") { try load(Array(whole.prefix(length))) }
        }
    }

    @Test func `a wrong bit anywhere is an error`() throws {
        for bit in stride(from: 0, to: whole.count * 8, by: max(1, whole.count * 8 / 1000)) {
            var bytes = whole
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: AuthError.self, "\(bit)") { try load(bytes) }
        }
    }

    /// Reads a file with these bytes as the program does.
    private func load(_ bytes: [UInt8]) throws -> StoredSession? {
        try world.write(bytes, to: world.sessionFile())
        return try SessionFolder(folder: PrivateFolder(path: world.sessionFolder, home: world.home)).load("default")
    }
}

extension Sandbox {
    /// How many sessions the database holds.
    func sessionCount() throws -> Int64 { try integer("SELECT count(*) FROM sessions") }
}
