import CommandTestSupport

@testable import AuthctlCommands

@Suite struct OutputFormatTests {
    let world = TestContext()

    /// `--output` overrides the variable; help and version ignore it.
    @Test(arguments: [
        (["whoami", "--offline"], true), (["logout"], true), (["profile", "list"], true), (["profile", "show"], true),
        (["profile", "show", "--output", "text"], false), (["help"], false), (["version"], false),
        (["--version"], false), (["--help"], false), (["login", "--help"], false),
    ])
    func `AUTHCTL_OUTPUT sets the output format of commands without --output, except help and version`(
        words: [String], isJSON: Bool
    ) {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        let output = world.run(words: words).stdout
        expect(output.hasPrefix(isJSON ? #"{"v":1,"kind":""# : "{"), isJSON)
    }

    @Test(arguments: [["--output", "json"], ["--output=json"], ["--output", "text", "--json"]])
    func `--output json prints the same as --json`(words: [String]) {
        expect(world.run(words: ["profile", "show"] + words), world.run("profile", "show", "--json"))
    }

    @Test(arguments: [
        (["help", "json"], "v\":1,\"kind"), (["version"], "v\":1,\"kind"), (["--version"], "v\":1,\"kind"),
        (["help"], "mediaType"), (["--help"], "mediaType"), (["login", "--help"], "mediaType"),
        (["help", "login"], "mediaType"),
    ])
    func `help topics and version with --json print a JSON document, help the command declarations`(
        words: [String], member: String
    ) {
        #expect(world.run(words: words + ["--json"]).stdout.hasPrefix(#"{"\#(member)":""#))
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
