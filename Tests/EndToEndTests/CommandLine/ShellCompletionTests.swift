import Foundation
import TestSupport

/// Completion of typed words in bash, zsh and fish, each with a minimal shell configuration.
@Suite(.mostlyWaits, .enabled(if: Host.hasShells, "needs bash-completion, zsh and fish"))
struct ShellCompletionTests {
    private let world = Sandbox()
    private let installation: Installation

    init() throws {
        installation = try Installation(in: world)
    }

    @Test(arguments: TypingShell.Kind.allCases)
    func `a shell completes commands and an option name after other options`(kind: TypingShell.Kind) throws {
        let words = try shell(kind).run("authctl --server http://x:80/p -qp ci prof\tli\t --js\t")
        expect(words, ["--server", "http://x:80/p", "-qp", "ci", "profile", "list", "--json"])
    }

    @Test(arguments: TypingShell.Kind.allCases)
    func `a shell completes an option's name and then its value`(kind: TypingShell.Kind) throws {
        try world.run("profile", "add", "wonderland", "--backend", "local", "--no-use")
        let words = try shell(kind).run("authctl --prof\twon\t whoami")
        #expect(words == ["--profile", "wonderland", "whoami"] || words == ["--profile=wonderland", "whoami"])
    }

    @Test(
        arguments: TypingShell.Kind.allCases,
        [
            ("authctl --profile \t", ["default", "night-job", "day-job"]),
            ("authctl login --pass\t", ["password-stdin", "password-file"]),
            ("authctl whoami --output=\t", ["text", "json"]),
            ("authctl profile set 'live' \t", ["allowHttp", "clientKeyFile", "facebookAppId"]),
            ("authctl help e\t", ["environment", "exit-codes", "exec"]),
        ])
    func `a shell lists the completions that are valid at the cursor`(
        kind: TypingShell.Kind, line: (typed: String, offered: [String])
    ) throws {
        try world.run("profile", "add", "night-job", "--backend", "local", "--no-use")
        try world.run("profile", "add", "day-job", "--backend", "local", "--no-use")
        try addServerProfile()
        let shell = try shell(kind)
        #expect(shell.type(line.typed, showing: line.offered), "\(shell.screen)")
    }

    @Test(arguments: TypingShell.Kind.allCases)
    func `a shell completes only the settings of the profile's backend`(kind: TypingShell.Kind) throws {
        try addServerProfile()
        let shell = try shell(kind)
        try expect(shell.run("authctl profile set live appI\t 1"), ["profile", "set", "live", "appId", "1"])
        #expect(shell.type("authctl profile set default \t", showing: ["backend", "facebookAppId"]))
        #expect(!shell.screen.contains("allowHttp"), "\(shell.screen)")
    }

    @Test(
        arguments: TypingShell.Kind.allCases,
        [
            ("authctl -p ci whoami --as \t", ["-p", "ci", "whoami", "--as", "night"]),
            ("authctl --profile 'ci' --as \t whoami", ["--profile", "ci", "--as", "night", "whoami"]),
            ("authctl whoami --as ada@example.o\t", ["whoami", "--as", "ada@example.org"]),
            ("authctl whoami --as=ada@example.c\t", ["whoami", "--as=ada@example.com"]),
        ])
    func `a shell completes the session names of the profile in the command line`(
        kind: TypingShell.Kind, line: (typed: String, words: [String])
    ) throws {
        try world.run("profile", "add", "ci", "--backend", "local", "--no-use")
        try world.signUp("ada", "--as", "ada@example.org")
        try world.logIn("ada", "--as", "ada@example.com")
        try world.logIn("ada", "-p", "ci", "--as", "night")
        try expect(shell(kind).run(line.typed), line.words)
    }

    @Test func `fish lists values without the description of their option or argument`() throws {
        try addServerProfile()
        for (typed, values, text) in [
            ("authctl --output \t", ["text", "json"], "Output format"),
            ("authctl whoami --color=\t", ["always", "never"], "Color the output"),
            ("authctl -p \t", ["default", "live"], "a connection and its session"),
            ("authctl profile set live \t", ["allowHttp", "appId"], "Setting"),
        ] {
            let shell = try shell(.fish)
            #expect(shell.type(typed, showing: values))
            #expect(!shell.screen.contains(text), "\(shell.screen)")
        }
    }

    private func addServerProfile() throws {
        try world.run(
            "profile", "add", "live", "--backend", "parse", "--server", "https://example.org/parse", "--app-id", "x")
    }

    @Test(arguments: [TypingShell.Kind.zsh, .fish])
    func `zsh and fish show descriptions of commands`(kind: TypingShell.Kind) throws {
        let shell = try shell(kind)
        #expect(shell.type("authctl profile s\t", showing: ["Change a setting of a profile", "Show a profile"]))
    }

    @Test(arguments: TypingShell.Kind.allCases)
    func `a shell completes a file name with spaces`(kind: TypingShell.Kind) throws {
        try world.write("x", to: "\(world.home)/secret file.txt")
        let words = try shell(kind).run("authctl login --password-file sec\t")
        expect(words, ["login", "--password-file", "secret file.txt"])
    }

    @Test(arguments: TypingShell.Kind.allCases)
    func `a shell completes the command after exec and then that command's arguments`(kind: TypingShell.Kind) throws {
        try world.write("x", to: "\(world.home)/only-this-one")
        let words = try shell(kind).run("authctl exec -- sha512s\t only\t")
        expect(words, ["exec", "--", "sha512sum", "only-this-one"])
    }

    @Test(arguments: [TypingShell.Kind.bash, .zsh])
    func `a completion script works when it is evaluated instead of installed`(kind: TypingShell.Kind) throws {
        try installation.undo()
        let script = "eval \"$('\(BuiltBinary.path)' completion \(kind.rawValue))\""
        let shell = try shell(kind)
        #expect(shell.type("\(script); echo EVAL''UATED\n", showing: ["EVALUATED"]))
        try expect(shell.run("authctl ses\trev\t"), ["sessions", "revoke"])
    }

    private func shell(_ kind: TypingShell.Kind) throws -> TypingShell {
        try TypingShell(kind, in: world, prefix: installation.prefix)
    }
}
