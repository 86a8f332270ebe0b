import AuthModel
import CommandTestSupport
import JSON
import Testing

@testable import AuthctlCommands

@Suite struct RunnerTests {
    let world = TestContext()

    @Test func `authctl without arguments suggests the first commands`() {
        let result = world.run()
        result.expectTranscript(in: "authctl")
        #expect(result.exitCode == 2)
    }

    @Test func `authctl without arguments shows the logged-in user`() {
        world.sessions.put(.ada)
        let result = world.run()
        result.expectTranscript(in: "authctl")
        #expect(result.exitCode == 2)
    }

    @Test func `authctl without arguments reports a session that cannot be read`() {
        world.sessions.fail(.load, with: AuthError(.corrupt, "damaged"))
        world.run().expectTranscript(in: "authctl")
    }

    @Test(arguments: [["version"], ["--version"], ["-q", "--version"]])
    func `version prints the version`(words: [String]) {
        let result = world.run(words: words)
        #expect(result == .init(stdout: "authctl \(programVersion)\n", stderr: "", ending: .exit(0)))
    }

    @Test(arguments: [["version", "--json"], ["--version", "--json"]])
    func `version with --json prints one document`(words: [String]) {
        let document = "{\"v\":1,\"kind\":\"version\",\"version\":\"\(programVersion)\",\"commit\":null}\n"
        #expect(world.run(words: words).stdout == document)
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["--help", "--bogus"],
    ])
    func `--help without a command prints the list of commands on standard output`(words: [String]) {
        let page = world.run("help").stdout
        #expect(!page.isEmpty)
        #expect(world.run(words: words) == .init(stdout: page, stderr: "", ending: .exit(0)))
    }

    @Test func `help --json prints the declarations of commands, and a topic as text`() throws {
        let login = try JSONValue(parsing: Array(world.run("help", "login", "--json").stdout.utf8))
        #expect(login["mediaType"]?.string == "application/vnd.uapi-group.cli-introspection-0")
        let options = try #require(login["commands"]?.array?.first?["options"]?.array)
        let anonymous = try #require(options.first { $0["names"]?.array?.contains("--anonymous") == true })
        #expect(anonymous["conflicts"]?.array?.contains("USERNAME") == true)
        let key = try #require(options.first { $0["names"]?.array?.contains("--master-key-file") == true })
        #expect(key["x-authctl.requires"]?.array == ["--impersonate"])
        #expect(key["x-authctl.environment"]?.array == ["AUTHCTL_MASTER_KEY_FILE"])
        #expect(key["argument"]?.string == "FILE")
        let all = try JSONValue(parsing: Array(world.run("help", "--json").stdout.utf8))
        let names = all["commands"]?.array?.compactMap { $0["names"]?.array?.first?.string }
        #expect(names == ["authctl"] + CommandRegistry.all.map { $0.name })
        #expect(
            world.run("help", "json", "--json").stdout.hasPrefix(#"{"v":1,"kind":"help","subject":"json","text":""#))
    }

    @Test func `a profile glued to -p is used`() {
        world.configuration.put(profiles: "ci")
        #expect(world.run("whoami", "-pci").stderr.contains("(profile 'ci')"))
    }

    @Test(arguments: [
        ["logni"], ["log"], ["sessions", "revok"], ["profile"], ["login", "--pasword-stdin"], ["whoami", "extra"],
        ["whoami", "--output", "yaml"], ["help", "logni"], ["whoami", "\u{FFFD}"],
    ])
    func `an unknown command, option or argument is an error with a suggestion`(words: [String]) {
        let result = world.run(words: words)
        result.expectErrors(in: "authctl", words.commandLine)
        #expect(result.stdout == "")
        #expect(result.exitCode == 2)
    }
}
