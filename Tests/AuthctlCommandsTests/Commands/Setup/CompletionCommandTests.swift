import CommandTestSupport
import Foundation

@testable import AuthctlCommands

@Suite struct CompletionCommandTests {
    private let world = TestContext()

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completion prints the completion script of a shell`(shell: String) {
        let result = world.run("completion", shell)
        expect(result.exitCode, 0)
        expect(result.stderr, "")
        #expect(result.stdout.contains("completion \(shell)'"))
    }

    @Test func `completion prints JSON only with --json, regardless of AUTHCTL_OUTPUT`() {
        let script = world.run("completion", "bash").stdout
        #expect(
            world.run("completion", "bash", "--json").stdout.hasPrefix(
                #"{"v":1,"kind":"completion","shell":"bash","script":""#))
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        expect(world.run("completion", "bash").stdout, script)
    }

    @Test func `completion rejects an unknown or missing shell`() {
        world.expectErrors(in: "completion", of: [["completion", "csh"], ["completion"]])
    }

    @Test(arguments: [
        ("", ["signup", "login", "logout"]), ("sessions ", ["list", "revoke"]), ("-p ci prof", ["profile"]),
        ("profile --as x s", ["show", "set"]), ("help profile u", ["use"]), ("help ex", ["exec", "exit-codes"]),
        ("--v", ["--verbose", "--version"]), ("whoami --v", ["--verbose"]),
        ("login --pass", ["--password-stdin", "--password-file"]),
        ("login --facebook --pro", ["--profile", "--proxy"]), ("--json whoami --js", []),
        ("api --fi", ["--field", "--field-json"]),
        ("api -f a=b --fi", ["--field", "--field-json"]), ("link -q", ["-q"]), ("link -q -q", []),
        ("whoami --output ", ["text", "json"]), ("whoami --output=t", ["--output=text"]),
        ("login --provider g", ["github", "google"]),
        ("completion ", ["bash", "zsh", "fish"]), ("exec ", ["--", "--set", "--min-ttl"]), ("whoami ", ["--offline"]),
        ("--profile ", ["ci", "default", "work"]), ("profile use w", ["work"]), ("profile set -- w", ["work"]),
        ("--token", []), ("login --password=", []), ("login ", []), ("login ada ", ["--password-stdin"]),
        ("nothing ", []),
        ("profile nothing --", []), ("profile -- ", []), ("profile add x -- ", []), ("signup --email ", []),
    ])
    func `completion offers the words that can follow`(line: String, offered: [String]) {
        world.configuration.put(profiles: "work", "ci", "$(reboot)", "*")
        let result = complete(line)
        let words = result.split(separator: "\n").map { $0.prefix { $0 != "\t" } }.map(String.init)
        // Longer lists are only compared at their start.
        #expect(words.count > 3 ? words.starts(with: offered) : words == (offered.isEmpty ? ["none"] : offered))
        expect(result.contains("\t"), !offered.isEmpty)
    }

    @Test(arguments: [
        ("login --password-file ", "files"), ("login --password-file=x", "files"), ("users create x", "files"),
        ("serve --mail-dir ", "folders"), ("exec -- ", "command"), ("exec -- jq --a", "command"),
        ("serve --seed x -- ", "command"),
    ])
    func `completion leaves files, folders and commands of other programs to the shell`(line: String, answer: String) {
        expect(complete(line), "\(answer)\n")
    }

    @Test func `completion for zsh and fish has descriptions and all candidates`() {
        #expect(complete("profile s", shell: "zsh").hasPrefix("list\tList profiles\nshow\tShow a profile\n"))
        #expect(complete("help j", shell: "fish").contains("\nsessions\tList and revoke sessions\n"))
        #expect(complete("whoami --js", shell: "fish").contains("\n--json\tSame as --output json\n"))
    }

    @Test(arguments: [["__complete"], ["__complete", "csh"], ["__complete", "bash", "--"]])
    func `__complete without words completes an empty line`(words: [String]) {
        let result = world.run(words: words)
        #expect(result.exitCode == 0 && result.stdout.hasPrefix("signup\t") && result.stderr.isEmpty)
    }

    private func complete(_ line: String, shell: String = "bash") -> String {
        world.run(words: ["__complete", shell, "--"] + line.components(separatedBy: " ")).stdout
    }
}
