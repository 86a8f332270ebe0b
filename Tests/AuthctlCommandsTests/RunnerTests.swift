import AuthModel
import CommandTestSupport
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

    @Test func `help with --json prints one document`() {
        let result = world.run("help", "login", "--json")
        #expect(result.stdout.hasPrefix(#"{"v":1,"kind":"help","subject":"login","text":""#))
        #expect(world.run("help", "--json").stdout.hasPrefix(#"{"v":1,"kind":"help","subject":null,"text":""#))
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
