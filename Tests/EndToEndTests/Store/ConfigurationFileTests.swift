import Foundation
import TestSupport
import Testing

/// `config.json`, which people edit, link to, and break.
@Suite struct ConfigurationFileTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.run("profile", "add", "ci", "--backend", "local")
    }

    private static let broken: [(name: String, text: String)] = [
        ("empty", ""),
        ("cut off", #"{"v": 1, "profiles": {"ci""#),
        ("null", "null\n"),
        ("a list", "[]\n"),
        ("no version", #"{"profiles": {}}"#),
        ("two documents", #"{"v": 1} {"v": 1}"#),
        ("a profile twice", #"{"v": 1, "profiles": {"ci": {"backend": "local"}, "ci": {"backend": "local"}}}"#),
        ("a member twice", #"{"v": 1, "v": 1}"#),
        ("a trailing comma", #"{"v": 1, "profiles": {},}"#),
        ("a comment", "{\"v\": 1} // mine\n"),
        ("a wrong name", #"{"v": 1, "profiles": {"../up": {"backend": "local"}}}"#),
        ("a profile that is none", #"{"v": 1, "profiles": {"ci": "local"}}"#),
        ("NUL", "{\"v\": 1}\0"),
        ("nesting", String(repeating: "[", count: 100_000)),
    ]

    @Test(arguments: broken.indices)
    func `a broken one is told with path and place, and stays as it is`(index: Int) throws {
        let (name, text) = Self.broken[index]
        try world.write(text, to: world.configurationFile)
        for words in [["whoami"], ["profile", "list"], ["profile", "add", "two", "--backend", "local"]] {
            let result = try world.start(words + ["--json"]).wait()
            #expect(result.exitCode == 12, "\(name): \(words)")
            let error = try result.error()
            #expect(error.string("reason") == "corrupt", "\(name)")
            #expect(error.string("message")?.contains("'\(world.configurationFile)'") == true)
            // A wrong value is told by its name, what is no JSON by its place.
            let message = error.string("message") ?? ""
            let places = ["(line ", "'v'", "'current'", "'profiles'", "of profile '", ": profile '"]
            #expect(places.contains { message.contains($0) }, "\(name): \(message)")
        }
        #expect(try world.text(world.configurationFile) == text)
    }

    @Test func `a newer version is refused as such and kept`() throws {
        let text = #"{"v": 999, "profiles": {}}"#
        try world.write(text, to: world.configurationFile)
        for words in [["whoami"], ["profile", "add", "two", "--backend", "local"]] {
            let result = try world.start(words + ["--json"]).wait()
            #expect(result.exitCode == 12)
            #expect(try result.error().string("reason") == "newer-version")
        }
        #expect(try world.text(world.configurationFile) == text)
    }

    @Test func `what an editor makes of it is read`() throws {
        try world.write(
            "\r\n{ \"v\" : 1,\r\n\t\"profiles\": { \"mine\": {\"backend\": \"local\"} } }\r\n\r\n",
            to: world.configurationFile)
        #expect(try world.run("profile", "show", "mine").exitCode == 0)
    }

    @Test func `members that are not known are kept`() throws {
        try world.write(
            #"{"v": 1, "note": {"by": "me"}, "profiles": {"ci": {"backend": "local", "color": "red"}}}"#,
            to: world.configurationFile)
        try world.run("profile", "add", "two", "--backend", "local")
        let text = try world.text(world.configurationFile)
        #expect(text.contains(#""note": {"by":"me"}"#))
        #expect(text.contains(#""color":"red""#))
    }

    @Test func `a link is written through and kept`() throws {
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

    @Test func `a link that leads nowhere is refused and kept`() throws {
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
    func `a link to a file of another user is refused`() throws {
        let target = "\(world.home)/theirs"
        try FileManager.default.moveItem(atPath: world.configurationFile, toPath: target)
        #expect(symlink(target, world.configurationFile) == 0)
        chown(target, 65534, 65534)
        let before = try world.bytes(target)
        #expect(try world.run("profile", "list").exitCode == 12)
        #expect(try world.run("profile", "add", "two", "--backend", "local").exitCode == 12)
        #expect(try world.bytes(target) == before)
    }

    @Test func `a name that no profile may have is refused`() throws {
        for name in ["..", ".hidden", "-x", "a/b", "a b", "ü", "a\nb", String(repeating: "n", count: 65)] {
            let result = try world.run("profile", "add", "--backend", "local", "--", name)
            #expect(result.exitCode == 2, "\(name)")
            #expect(try world.run("whoami", environment: ["AUTHCTL_PROFILE": name]).exitCode == 2)
        }
        #expect(try world.run("profile", "add", String(repeating: "n", count: 64), "--backend", "local").exitCode == 0)
    }

    @Test func `the profile is the option's, else the environment's, else the chosen one, else default`() throws {
        for name in ["two", "three"] { try world.run("profile", "add", name, "--backend", "local") }
        func profile(_ words: [String], _ environment: [String: String?]) throws -> String? {
            try world.start(["whoami", "--json"] + words, environment: environment).wait().document().string("profile")
        }
        #expect(try profile([], [:]) == "default")
        try world.run("profile", "use", "three")
        #expect(try profile([], [:]) == "three")
        #expect(try profile([], ["AUTHCTL_PROFILE": "two"]) == "two")
        #expect(try profile(["-p", "ci"], ["AUTHCTL_PROFILE": "two"]) == "ci")
    }

    @Test func `a profile with a session is removed only by force`() throws {
        try world.signUp("ada", "-p", "ci")
        let refused = try world.run("profile", "remove", "ci")
        #expect(refused.exitCode == 2)
        #expect(refused.stderr.contains("--force"))
        #expect(world.isThere(world.sessionFile("ci")))
        #expect(try world.run("profile", "remove", "ci", "--force").exitCode == 0)
        #expect(!world.isThere(world.sessionFile("ci")))
        #expect(try world.run("whoami", "-p", "ci").exitCode == 2)
    }
}
