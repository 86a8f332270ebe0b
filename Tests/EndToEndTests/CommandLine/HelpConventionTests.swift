import TestSupport
import Testing

/// Help that is found without knowing where to look.
@Suite struct HelpConventionTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `the overview lists every command and no other`() throws {
        let lines = try world.run("help").stdout.split(separator: "\n")
        let listed = lines.prefix { $0 != "EXAMPLES" }.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.dropFirst(2).firstMatch(of: #/^(.*?)  /#).map { String($0.1) } }
        #expect(listed.sorted() == CommandLineTests.commands.sorted())
    }

    @Test(arguments: [
        (["login", "--pasword-stdin"], "'--password-stdin'", "'authctl login --help'"),
        (["sessions", "revoke", "--other"], "'--others'", "'authctl sessions revoke --help'"),
        (["profile", "ad"], "'profile add'", "'authctl --help'"),
        (["logni"], "'login'", "'authctl --help'"),
    ])
    func `a misspelt word gets the nearest one and the page that lists them`(
        words: [String], guess: String, page: String
    ) throws {
        let result = try world.start(words).wait()
        #expect(result.exitCode == 2)
        #expect(result.errorLines.suffix(2) == ["authctl: hint: did you mean \(guess)?", "authctl: hint: see \(page)"])
    }

    @Test func `who has nobody logged in elsewhere is told how to begin there`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        let result = try world.run("-p", "ci")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("\n  authctl signup -p ci USERNAME "))
    }

    @Test func `who types the name alone reads how to begin, and then the commands`() throws {
        let result = try world.run()
        #expect(result.exitCode == 2)
        #expect(result.stdout.isEmpty)
        let lines = result.stderr.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[1].hasPrefix("  authctl signup USERNAME ") && lines[2].hasPrefix("  authctl login USERNAME "))
        #expect(result.stderr.contains("\nUsage: authctl "))
        #expect(result.stderr.contains("\n  whoami "))
        #expect(!result.stderr.contains("--profile"))
        #expect(result.stderr.hasSuffix("See 'authctl help' for more.\n"))
    }

    @Test func `both ways of asking for JSON are one`() throws {
        try world.signUp("ada")
        let long = try world.run("whoami", "--output", "json").stdout
        #expect(try world.run("whoami", "--json").stdout == long)
        #expect(try world.run("whoami", environment: ["AUTHCTL_OUTPUT": "json"]).stdout == long)
        #expect(long.hasPrefix(#"{"v":1,"kind":"whoami","#))
    }

    @Test func `a command's option that looks like ours is the command's`() throws {
        try world.signUp("ada")
        #expect(try world.run("exec", "--", "printf", "%s", "--help").stdout == "--help")
    }
}
