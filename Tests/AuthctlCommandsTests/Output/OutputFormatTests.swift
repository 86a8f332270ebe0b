import CommandTestSupport

@testable import AuthctlCommands

@Suite struct OutputFormatTests {
    let world = TestContext()

    @Test(arguments: [["whoami", "--offline"], ["logout"], ["profile", "list"], ["profile", "show"]])
    func `AUTHCTL_OUTPUT sets the output format`(words: [String]) {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run(words: words).stdout.hasPrefix(#"{"v":1,"kind":""#))
    }

    @Test(arguments: [["--output", "json"], ["--output=json"], ["--output", "text", "--json"]])
    func `--output json prints the same as --json`(words: [String]) {
        expect(world.run(words: ["profile", "show"] + words), world.run("profile", "show", "--json"))
    }

    @Test func `--output overrides AUTHCTL_OUTPUT`() {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(!world.run("profile", "show", "--output", "text").stdout.hasPrefix("{"))
    }

    @Test(arguments: [["help"], ["version"], ["--version"], ["--help"], ["login", "--help"]])
    func `help and version ignore AUTHCTL_OUTPUT`(words: [String]) {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(!world.run(words: words).stdout.hasPrefix("{"))
    }

    @Test(arguments: [["help", "json"], ["version"], ["--version"]])
    func `help topics and version with --json print a JSON document`(words: [String]) {
        #expect(world.run(words: words + ["--json"]).stdout.hasPrefix(#"{"v":1,"kind":""#))
    }

    @Test(arguments: [["help"], ["--help"], ["login", "--help"], ["help", "login"]])
    func `help with --json prints the command declarations instead of the help page`(words: [String]) {
        #expect(world.run(words: words + ["--json"]).stdout.hasPrefix(#"{"mediaType":""#))
    }

    @Test func `an invalid AUTHCTL_OUTPUT is rejected`() {
        world.environment = ["AUTHCTL_OUTPUT": "yaml"]
        world.run("whoami").expectTranscript(in: "global-options")
    }

    @Test(arguments: [
        ["whoami", "extra", "--json"], ["--json", "whoami", "extra"], ["whoami", "extra", "--output=json"],
        ["nope", "--json"], ["whoami", "--bogus", "--json"], ["login", "--password=hunter22", "--json"],
        ["whoami", "--json", "--timeout"],
    ])
    func `a command-line error with --json is printed as a JSON document`(words: [String]) {
        let result = world.run(words: words)
        expect(result.stdout, "")
        #expect(result.stderr.hasPrefix(#"{"v":1,"kind":"error","error":{"code":"usage","exit":2,"reason":"usage","#))
        #expect(result.stderr.hasSuffix("}\n"))
        expect(result.exitCode, 2)
    }

    @Test func `AUTHCTL_OUTPUT applies to a command-line error only if the command respects the variable`() {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run("whoami", "extra").stderr.hasPrefix("{"))
        for command in ["token", "version"] {
            #expect(world.run(command, "extra").stderr.hasPrefix("authctl: error: "))
        }
    }

    @Test func `an error with --json is printed as a JSON document on standard error`() {
        world.configuration.fail(with: AuthError(.corrupt, "damaged"))
        let result = world.run("login", "ada", "--json")
        expect(result.stdout, "")
        #expect(
            result.stderr.hasPrefix(
                #"{"v":1,"kind":"error","error":{"code":"storage","exit":12,"reason":"corrupt","message":"damaged""#
            ))
        expect(result.exitCode, 12)
    }
}
