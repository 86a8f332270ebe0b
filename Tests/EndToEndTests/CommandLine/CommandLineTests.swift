import Foundation
import TestSupport
import Testing

/// What everybody expects of a tool at the command line.
@Suite struct CommandLineTests {
    private let world: Sandbox

    static let commands = [
        "signup", "login", "logout", "whoami", "link-facebook", "sessions list", "sessions revoke", "password change",
        "password reset", "verify-email", "token", "exec", "profile list", "profile show", "profile add", "profile set",
        "profile use", "profile remove", "completion", "help", "version", "serve",
    ]

    init() throws {
        world = try Sandbox()
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func `help on the program goes to standard output`(words: [String]) throws {
        let help = try world.start(words).wait()
        #expect(help.exitCode == 0)
        #expect(help.stderr.isEmpty)
        for command in Self.commands { #expect(help.stdout.contains("\n  \(command) ")) }
        #expect(try help.stdout == world.run("--help").stdout)
    }

    @Test(arguments: commands)
    func `help on a command is the same in every way of asking`(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let help = try world.start(["help"] + words).wait()
        #expect(help.exitCode == 0)
        #expect(help.stderr.isEmpty)
        #expect(help.stdout.contains("EXAMPLES\n  ") && help.stdout.contains("authctl \(command)"))
        #expect(help.stdout.contains("EXIT CODES\n  0 "))
        #expect(try world.start(words + ["--help"]).wait().stdout == help.stdout)
        #expect(try world.start(words + ["-h"]).wait().stdout == help.stdout)
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `without the files that tell of processes a command is what it is`() throws {
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
        #expect(result.exitCode == 0, "\(result.stderr)")
        #expect(result.stdout == "logged out (profile 'default')\n")
    }

    @Test func `every short option has a long one`() throws {
        for command in Self.commands {
            let help = try world.start(["help"] + command.split(separator: " ").map(String.init)).wait().stdout
            let short = help.split(separator: "\n").filter { $0.hasPrefix("  -") && !$0.hasPrefix("  --") }
            #expect(short.allSatisfy { $0.contains(", --") }, "\(command)")
        }
    }

    @Test(arguments: ["20", "40", "60", "80", "200", "nonsense", "0"])
    func `help keeps to the width`(columns: String) throws {
        // Narrower than 40, a name that cannot be broken may stick out.
        let width = Int(columns).flatMap { (40...80).contains($0) ? $0 : nil } ?? 80
        for words in [["--help"]] + Self.commands.map({ ["help"] + $0.split(separator: " ").map(String.init) }) {
            let help = try world.start(words, environment: ["COLUMNS": columns]).wait().stdout
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= width }, "\(words)")
        }
    }

    @Test func `without a word it says how to begin, and then who is logged in`() throws {
        let before = try world.run()
        #expect(before.exitCode == 2)
        #expect(before.stdout.isEmpty)
        #expect(before.stderr.hasPrefix("Nobody is logged in. "))
        #expect(before.stderr.contains("authctl signup") && before.stderr.contains("authctl login"))
        try world.signUp("ada")
        let after = try world.run()
        #expect(after.exitCode == 2)
        #expect(after.stdout.isEmpty)
        #expect(after.stderr.hasPrefix("You are logged in as ada "))
    }

    @Test(arguments: [["--version"], ["version"]])
    func `the version is one line`(words: [String]) throws {
        let version = try world.start(words).wait()
        #expect(version.exitCode == 0)
        #expect(version.stdout.wholeMatch(of: /authctl \d+\.\d+\.\d+\n/) != nil)
        #expect(version.stderr.isEmpty)
    }

    @Test func `the version is a document as well`() throws {
        let document = try world.run("version", "--json").document()
        #expect(document.keys == ["v", "kind", "version"])
        #expect(try world.run("--version", "--json").document().string("version") == document.string("version"))
    }

    @Test(arguments: [
        (["logni"], "login"), (["sesions"], "sessions"), (["session", "list"], "sessions"),
        (["profile", "lst"], "profile list"),
        (["help", "logni"], "login"), (["login", "--pasword-stdin"], "--password-stdin"),
        (["--jsn", "whoami"], "--json"),
    ])
    func `a misspelt word is refused with a guess`(words: [String], guess: String) throws {
        let result = try world.start(words, input: .password).wait()
        #expect(result.exitCode == 2)
        #expect(result.stdout.isEmpty)
        #expect(result.stderr.contains(guess))
        #expect(world.contents(of: world.home) == [])
    }

    @Test(arguments: [
        ["log"], ["sign"], ["who"], ["prof", "list"], ["profile", "rem", "x"], ["login", "--password-std"],
        ["whoami", "--js"], ["whoami", "extra"], ["token", "extra"], ["version", "extra"], ["--"], [""],
        ["whoami", "--output", "yaml"], ["whoami", "--output"], ["whoami", "--json=yes"], ["whoami", "-x"], ["-"],
        ["whoami", "-p"], ["profile", "add"], ["profile", "set", "default", "backend"], ["profile", "use"],
    ])
    func `what is not understood is refused`(words: [String]) throws {
        let result = try world.start(words).wait()
        #expect(result.exitCode == 2)
        #expect(result.stdout.isEmpty)
        #expect(world.contents(of: world.home) == [])
    }

    @Test(arguments: [
        ["-p", "ci", "whoami", "--json"], ["whoami", "-p", "ci", "--json"], ["whoami", "--json", "--profile=ci"],
        ["--json", "--profile", "ci", "whoami"], ["whoami", "--profile", "default", "--profile", "ci", "--json"],
        ["-pci", "whoami", "--json"],
    ])
    func `options stand where one likes, and the last counts`(words: [String]) throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        let result = try world.start(words).wait()
        #expect(result.exitCode == 3)
        #expect(try result.document().string("profile") == "ci")
    }

    @Test func `after two dashes there are no options`() throws {
        #expect(try world.run("signup", "--password-stdin", "--", "--weird", input: .password).exitCode == 0)
        #expect(try world.run("whoami").stdout.hasPrefix("--weird "))
        #expect(try world.run("whoami", "--", "--json").exitCode == 2)
    }

    @Test func `a head that closes early is no error`() throws {
        let result = try world.runScript(#""$A" --help | head -1; echo ${PIPESTATUS[0]}"#)
        #expect(result.stdout.hasSuffix("\n0\n") || result.stdout.hasSuffix("\n141\n"))
        #expect(result.stderr.isEmpty)
    }

    @Test func `verbose traces to standard error and keeps the document pure`() throws {
        try world.signUp("ada")
        let result = try world.run("whoami", "--json", "-v")
        #expect(try result.document().string("state") == "valid")
        #expect(!result.stderr.isEmpty)
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("authctl: ") })
    }

    @Test func `every line of standard error says whose it is`() throws {
        for words in [["logni"], ["token"], ["login"], ["signup", "a", "--password-stdin"], ["whoami", "-p", "x"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.errorLines.allSatisfy { $0.hasPrefix("authctl: ") }, "\(result.stderr)")
        }
    }

    @Test(arguments: ["ada\nauthctl: error: forged", "ada\u{1B}[31m", "ada\u{7}", "ada\0"])
    func `control characters in a name are refused and not repeated`(name: String) throws {
        let result = try world.run("signup", "--password-stdin", "--", name, input: .password)
        #expect(result.exitCode == 2 || name.contains("\0"))
        #expect(
            result.errorLines.allSatisfy {
                $0.hasPrefix("authctl: ") && !$0.contains("\u{1B}") && !$0.contains("\u{7}")
            })
        #expect(!result.errorLines.contains { $0.hasPrefix("authctl: error: forged") })
    }

    @Test func `a name that turns the text around is shown by its code`() throws {
        let name = "ada\u{202E}nimda"
        #expect(try world.run("signup", "--password-stdin", "--", name, input: .password).exitCode == 0)
        let text = try world.run("whoami").stdout
        #expect(!text.contains("\u{202E}"))
        #expect(text.contains("\\u{202e}"))
        #expect(try world.run("whoami", "--json").document().object("user").string("username") == name)
    }
}
