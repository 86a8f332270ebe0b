import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct OutputFormatTests {
    let world = TestContext()

    @Test(arguments: [["whoami", "--offline"], ["logout"], ["profile", "list"], ["profile", "show"]])
    func `is the variable's`(words: [String]) {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run(words: words).stdout.hasPrefix(#"{"v":1,"kind":""#))
    }

    @Test func `is the option's before the variable's`() {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run("profile", "show", "--output", "text").stdout.hasPrefix("name:"))
    }

    @Test(arguments: [["help"], ["version"], ["--version"], ["--help"], ["login", "--help"]])
    func `is not the variable's where the output is for people or programs that know it`(words: [String]) {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(!world.run(words: words).stdout.hasPrefix("{"))
    }

    @Test(arguments: [["help"], ["version"], ["--version"], ["--help"], ["login", "--help"], ["help", "login"]])
    func `is the option's everywhere`(words: [String]) {
        #expect(world.run(words: words + ["--json"]).stdout.hasPrefix(#"{"v":1,"kind":""#))
    }

    @Test func `is refused if the variable says anything else`() {
        world.environment = ["AUTHCTL_OUTPUT": "yaml"]
        let result = world.run("whoami")
        #expect(
            result.stderr.hasPrefix("authctl: error: output 'yaml' (from AUTHCTL_OUTPUT) is not one of text, json\n"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ["whoami", "extra", "--json"], ["--json", "whoami", "extra"], ["whoami", "extra", "--output=json"],
        ["nope", "--json"], ["whoami", "--bogus", "--json"], ["login", "--password=hunter22", "--json"],
        ["whoami", "--json", "--timeout"],
    ])
    func `of wrong words is JSON when they ask for it`(words: [String]) {
        let result = world.run(words: words)
        #expect(result.stdout == "")
        #expect(result.stderr.hasPrefix(#"{"v":1,"kind":"error","error":{"code":"usage","exit":2,"reason":"usage","#))
        #expect(result.stderr.hasSuffix("}\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `of wrong words is the variable's, but not for commands that do not heed it`() {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run("whoami", "extra").stderr.hasPrefix("{"))
        #expect(
            world.run("token", "extra").stderr.hasPrefix(
                "authctl: error: unexpected argument: 'authctl token' takes none"))
        #expect(world.run("version", "extra").stderr.hasPrefix("authctl: error: "))
    }

    @Test func `of a failure is JSON on standard error alone`() {
        world.configuration.fail(with: AuthError(.corrupt, "it is damaged"))
        let result = world.run("login", "ada", "--json")
        #expect(result.stdout == "")
        #expect(
            result.stderr.hasPrefix(
                #"{"v":1,"kind":"error","error":{"code":"storage","exit":12,"reason":"corrupt","message":"it is damaged""#
            ))
        #expect(result.exitCode == 12)
    }
}
