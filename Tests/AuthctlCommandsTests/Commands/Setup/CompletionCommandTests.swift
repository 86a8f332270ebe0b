import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct CompletionCommandTests {
    private let world = TestContext()

    @Test(arguments: ["bash", "zsh", "fish"])
    func `prints the script of a shell`(shell: String) {
        let result = world.run("completion", shell)
        #expect(result.exitCode == 0)
        #expect(result.stderr == "")
        #expect(result.stdout.contains("completion \(shell)'"))
    }

    @Test func `prints it in JSON on demand, and not by the variable`() {
        let result = world.run("completion", "bash", "--json")
        #expect(result.stdout.hasPrefix(##"{"v":1,"kind":"completion","shell":"bash","script":"# Completes authctl"##))
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run("completion", "bash").stdout.hasPrefix("# Completes authctl"))
    }

    @Test func `refuses another shell`() {
        let result = world.run("completion", "csh")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("'csh' is not one of bash, zsh, fish (argument 'SHELL')"))
        #expect(world.run("completion").stderr.contains("missing argument SHELL"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `never offers an option that takes a secret`(shell: String) {
        let script = world.run("completion", shell).stdout
        #expect(script.matches(of: #/--(password|token)[ '=\[]/#).isEmpty)
        #expect(script.matches(of: #/-l (password|token) /#).isEmpty)
        #expect(script.contains("password-stdin"))
    }

    @Test func `lists names that a profile can have`() {
        world.configuration.put(profiles: "work", "ci", "$(reboot)", "*")
        #expect(world.run("__complete", "profiles").stdout == "ci\ndefault\nwork\n")
    }
}
