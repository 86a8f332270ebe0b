import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct CompletionCommandTests {
    private let world = TestContext()

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completion prints the completion script of a shell`(shell: String) {
        let result = world.run("completion", shell)
        #expect(result.exitCode == 0)
        #expect(result.stderr == "")
        #expect(result.stdout.contains("completion \(shell)'"))
    }

    @Test func `completion prints JSON only with --json, regardless of AUTHCTL_OUTPUT`() {
        let script = world.run("completion", "bash").stdout
        #expect(
            world.run("completion", "bash", "--json").stdout.hasPrefix(
                #"{"v":1,"kind":"completion","shell":"bash","script":""#))
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run("completion", "bash").stdout == script)
    }

    @Test func `completion rejects an unknown or missing shell`() {
        world.expectErrors(in: "completion", of: [["completion", "csh"], ["completion"]])
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a completion script never offers an option whose value is a secret`(shell: String) {
        let script = world.run("completion", shell).stdout
        #expect(script.matches(of: #/--(password|token)[ '=\[]/#).isEmpty)
        #expect(script.matches(of: #/-l (password|token) /#).isEmpty)
        #expect(script.contains("password-stdin"))
    }

    @Test func `__complete profiles lists only valid profile names`() {
        world.configuration.put(profiles: "work", "ci", "$(reboot)", "*")
        #expect(world.run("__complete", "profiles").stdout == "ci\ndefault\nwork\n")
    }

    @Test(arguments: [
        ["__complete"], ["__complete", "secrets"], ["__complete", "settings"],
        ["__complete", "settings", "x"], ["__complete", "settings", "default", "x"],
    ])
    func `__complete prints nothing for an unknown kind of list or an invalid argument`(words: [String]) {
        let result = world.run(words: words)
        #expect(result.exitCode == 0 && result.stdout.isEmpty && result.stderr.isEmpty)
    }
}
