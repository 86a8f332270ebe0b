import Foundation
import TestSupport
import Testing

/// How a password gets in without being shown, and what is refused before anything happens.
@Suite(.keepsInvariants) struct PasswordInputTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test(arguments: [
        ("correct horse", "correct horse\n", true),
        ("correct horse\n", "correct horse", true),
        ("correct horse\r\n", "correct horse", true),
        ("correct horse\r\n", "correct horse\n", true),
        ("correct horse\n\n", "correct horse\n", false),
        ("correct horse\r", "correct horse", false),
        ("correct horse ", "correct horse", false),
        (" correct horse", "correct horse", false),
        ("\tcorrect horse", "correct horse", false),
        ("correct  horse", "correct horse", false),
        ("correct horse", "Correct horse", false),
        ("   \t    \n", "   \t    ", true),
        ("two\nlines here", "two\nlines here\n", true),
        ("\u{1F40E}\u{1F50B}\u{1F4CE}\u{2705} horse\n", "\u{1F40E}\u{1F50B}\u{1F4CE}\u{2705} horse", true),
        ("caf\u{E9} noir\n", "caf\u{E9} noir", true),
        ("caf\u{E9} noir", "cafe\u{301} noir", false),
        ("\u{FEFF}correct horse", "correct horse", false),
        ("re\u{FFFD}placed horse", "re\u{FFFD}placed horse", true),
    ])
    func `one final line end is dropped and nothing else`(set: String, given: String, isSame: Bool) throws {
        #expect(try world.run("signup", "ada", "--password-stdin", input: "\(set)").exitCode == 0)
        let login = try world.run("login", "ada", "--password-stdin", input: "\(given)")
        #expect(login.exitCode == (isSame ? 0 : 4))
    }

    @Test(arguments: [64, 72, 128, 1000, 65536])
    func `long passwords count to the last character`(length: Int) throws {
        let password = String(repeating: "x", count: length - 1)
        #expect(try world.run("signup", "ada", "--password-stdin", input: "\(password)y\n").exitCode == 0)
        #expect(try world.run("login", "ada", "--password-stdin", input: "\(password)z\n").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "\(password)\n").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "\(password)y\n").exitCode == 0)
    }

    private static let refused: [(name: String, bytes: [UInt8])] = [
        ("empty", []),
        ("only a line end", [0x0A]),
        ("only CRLF", [0x0D, 0x0A]),
        ("NUL inside", Array("correct\0horse\n".utf8)),
        ("NUL at the end", Array("correct horse\0".utf8)),
        ("Latin-1", Array("correct caf".utf8) + [0xE9, 0x0A]),
        ("half a character", Array("correct horse".utf8) + [0xF0, 0x9F, 0x90]),
        ("a surrogate", Array("correct horse".utf8) + [0xED, 0xA0, 0x80]),
        ("over the limit", [UInt8](repeating: 0x78, count: 65537)),
        ("10 MB", [UInt8](repeating: 0x78, count: 10_000_000)),
    ]

    @Test(arguments: refused.indices, ["signup", "login"])
    func `what is no password is refused before anything is stored`(index: Int, command: String) throws {
        let bytes = Self.refused[index].bytes
        let result = try world.start([command, "ada", "--password-stdin"], input: .bytes(bytes)).wait()
        #expect(result.exitCode == 2, "\(Self.refused[index].name)")
        #expect(result.stdout.isEmpty)
        #expect(result.stderr.hasPrefix("authctl: error: the password from standard input "))
        #expect(world.contents(of: world.home) == [])
    }

    @Test(arguments: refused.indices)
    func `a file is held to the same`(index: Int) throws {
        let path = "\(world.home)/password"
        try world.write(Self.refused[index].bytes, to: path)
        #expect(try world.run("signup", "ada", "--password-file", path).exitCode == 2)
        #expect(world.contents(of: world.home) == [path])
    }

    @Test func `a password is read from a file`() throws {
        try world.write("\(Sandbox.password)\n", to: "\(world.home)/password")
        #expect(try world.run("signup", "ada", "--password-file", "password").exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `a dash as the file is standard input`() throws {
        #expect(try world.run("signup", "ada", "--password-file", "-", input: .password).exitCode == 0)
        #expect(try world.run("login", "ada", "--password-file=-", input: .password).exitCode == 0)
    }

    @Test func `a file that is not there is named`() throws {
        let result = try world.run("signup", "ada", "--password-file", "nowhere")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("'nowhere'"))
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `a password comes from the environment`() throws {
        let environment = ["AUTHCTL_PASSWORD": Sandbox.password]
        #expect(try world.run("signup", "ada", environment: environment).exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `a variable that is set to nothing is an empty password`() throws {
        let result = try world.run("signup", "ada", environment: ["AUTHCTL_PASSWORD": ""])
        #expect(result.exitCode == 2)
        #expect(result.stderr == "authctl: error: the password from AUTHCTL_PASSWORD is empty\n")
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `a variable that is not UTF-8 is refused`() throws {
        let under: [String] = .shell(#"export AUTHCTL_PASSWORD=$'correct caf\xe9'"#)
        #expect(try world.run("signup", "ada", under: under).exitCode == 2)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `an option outranks the variable`() throws {
        let environment = ["AUTHCTL_PASSWORD": "another password"]
        let signup = try world.run("signup", "ada", "--password-stdin", input: .password, environment: environment)
        #expect(signup.exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `two options at once are refused`() throws {
        let words = ["signup", "ada", "--password-stdin", "--password-file", "password"]
        let result = try world.start(words, input: .password).wait()
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("--password-stdin") && result.stderr.contains("--password-file"))
        #expect(world.contents(of: world.home) == [])
    }

    @Test(arguments: ["signup", "login"])
    func `with nothing given and nobody to ask it fails at once`(command: String) throws {
        let result = try world.run(command, "ada")
        #expect(result.exitCode == 2)
        #expect(result.stdout.isEmpty)
        #expect(result.stderr.contains("--password-stdin"))
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `a closed standard input is nobody to ask`() throws {
        #expect(try world.run("login", "ada", under: .shell("exec <&-")).exitCode == 2)
        let result = try world.run("login", "ada", "--password-stdin", under: .shell("exec <&-"))
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("standard input"))
    }

    @Test func `a missing user name names the argument`() throws {
        let result = try world.run("signup", "--password-stdin", input: .password)
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("USERNAME"))
        #expect(world.contents(of: world.home) == [])
    }

    @Test(arguments: ["login", "signup", "whoami", "token"], ["--password", "--token"])
    func `a secret as an option's value is refused and never repeated`(command: String, option: String) throws {
        for words in [[option, "CANARY-7"], ["\(option)=CANARY-7"]] {
            for format in [[], ["--json"]] {
                let result = try world.start([command] + words + format).wait()
                #expect(result.exitCode == 2)
                #expect(!result.everything.contains("CANARY-7"))
                let before = try world.start(words + [command] + format).wait()
                #expect(before.exitCode == 2)
                #expect(!before.everything.contains("CANARY-7"))
            }
        }
        #expect(world.contents(of: world.home) == [])
    }

    @Test(arguments: [
        ["login", "ada", "CANARY-7"], ["signup", "ada", "--password-stdin", "CANARY-7"], ["token", "CANARY-7"],
        ["password", "change", "CANARY-7"], ["link-facebook", "--token-stdin", "CANARY-7"],
        ["verify-email", "CANARY-7"], ["login", "ada", "--password-stdin=CANARY-7"], ["login", "ada", "--pw=CANARY-7"],
        ["login", "ada", "--client-key", "CANARY-7"], ["exec", "--token=CANARY-7", "--", "true"],
        ["signup", "ada", "--field", "password=CANARY-7"],
        ["login", "ada", "--backend", "parse", "--app-id", "a", "--server", "https://u:CANARY-7@h.test"],
        ["login", "ada", "--backend", "parse", "--app-id", "a", "--server", "https://h.test/?key=CANARY-7"],
    ])
    func `a secret where none is taken is refused and never repeated`(words: [String]) throws {
        for format in [[], ["--json"], ["-v"]] {
            let result = try world.start([words[0]] + format + words.dropFirst(), input: .password).wait()
            #expect(result.exitCode == 2)
            #expect(!result.everything.contains("CANARY-7"), "\(result.stderr)")
        }
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `the refusal of a password option names what to use`() throws {
        let result = try world.run("login", "ada", "--password", "CANARY-7")
        #expect(result.stderr.contains("--password-stdin"))
        #expect(result.stderr.contains("AUTHCTL_PASSWORD"))
    }
}
