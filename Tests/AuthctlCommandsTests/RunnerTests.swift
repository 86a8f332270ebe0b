import CommandTestSupport

@testable import AuthctlCommands

@Suite struct RunnerTests {
    let world = TestContext()

    @Test func `authctl without arguments or a session suggests signup and login`() {
        world.run().expectTranscript(in: "authctl")
    }

    @Test func `authctl without arguments shows the logged-in user`() {
        world.sessions.put(.ada)
        world.run().expectTranscript(in: "authctl")
    }

    @Test func `authctl without arguments reports a session that cannot be read`() {
        world.sessions.fail(.load, with: AuthError(.corrupt, "damaged"))
        world.run().expectTranscript(in: "authctl")
    }

    @Test(arguments: [["version"], ["--version"], ["-q", "--version"]])
    func `version and --version print the program version`(words: [String]) {
        let result = world.run(words: words)
        expect(result, .init(stdout: "authctl \(programVersion)\n", stderr: "", ending: .exit(0)))
    }

    @Test(arguments: [["version", "--json"], ["--version", "--json"]])
    func `version with --json prints one JSON document`(words: [String]) {
        let document = "{\"v\":1,\"kind\":\"version\",\"version\":\"\(programVersion)\",\"commit\":null}\n"
        expect(world.run(words: words).stdout, document)
    }

    @Test(arguments: [["--help"], ["-h"], ["--help", "--bogus"]])
    func `--help without a command prints the list of commands on standard output`(words: [String]) {
        let page = world.run("help").stdout
        #expect(!page.isEmpty)
        expect(world.run(words: words), .init(stdout: page, stderr: "", ending: .exit(0)))
    }

    /// Finds a declaration in `help --json` by a path of argument ids.
    private func declaration(_ path: String..., of subject: [String] = []) throws -> JSONValue {
        let document = try JSONValue(parsing: Array(world.run(words: ["help"] + subject + ["--json"]).stdout.utf8))
        expect(document["mediaType"]?.string, "application/vnd.uapi-group.cli-introspection")
        return try path.reduce(try #require(document["commands"]?.array?.first)) { object, id in
            try #require(object["arguments"]?.array?.first { $0["id"]?.string == id })
        }
    }

    @Test func `help --json prints the declarations of options and arguments`() throws {
        try expect(declaration("login", "login.anonymous")["x-authctl.conflicts"]?.array?.contains("USERNAME"), true)
        let key = try declaration("login", "login.admin-key-file", of: ["login"])
        expect(key["type"], "option")
        expect(key["names"], ["--admin-key-file"])
        expect(key["value"], "yes")
        expect(key["valueName"], "FILE")
        expect(key["values"], [["type": "value", "category": "file"]])
        expect(key["x-authctl.requires"], [["oneOf": ["--impersonate"], "with": []]])
        expect(key["x-authctl.environment"], ["AUTHCTL_ADMIN_KEY_FILE"])
        let shell = try declaration("completion", "completion.SHELL")
        expect(shell["type"], "argument")
        expect(shell["isRequired"], true)
        expect(shell["values"]?.array?.compactMap { $0["value"]?.string }, ["bash", "zsh", "fish"])
        try expect(declaration("authctl.profile")["names"], ["-p", "--profile"])
    }

    @Test func `help --json nests commands that share a first word`() throws {
        let sessions = try declaration("sessions")
        expect(sessions["x-authctl.default"], "list")
        expect(sessions["arguments"]?.array?.map { $0["names"] }, [["list"], ["revoke"]])
        try expect(declaration("sessions", "sessions revoke", of: ["sessions", "revoke"])["type"], "command")
        let commands = try #require(try declaration()["arguments"]?.array).filter { $0["type"] == "command" }
        let firstWords = CommandRegistry.all.map { $0.name.prefix { $0 != " " } }
        expect(Set(commands.compactMap { $0["id"]?.string }), Set(firstWords.map(String.init)))
        expect(commands.count, Set(firstWords).count)
    }

    @Test func `help --json prints the text of a help topic in a JSON document`() {
        #expect(
            world.run("help", "json", "--json").stdout.hasPrefix(#"{"v":1,"kind":"help","subject":"json","text":""#))
    }

    @Test func `-p accepts a profile name attached without a space`() {
        world.configuration.put(profiles: "ci")
        #expect(world.run("whoami", "-pci").stderr.contains("(profile 'ci')"))
    }

    @Test(arguments: [["login", "--pasword-stdin"], ["help", "logni"], ["login", "--token-file", "pw\u{FFFD}"]])
    func `a command-line error states its cause and suggests a correction for a misspelled word`(words: [String]) {
        world.run(words: words).expectErrors(in: "authctl", words.commandLine)
    }
}
