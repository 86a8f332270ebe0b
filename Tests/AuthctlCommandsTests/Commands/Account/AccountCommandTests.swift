import CommandTestSupport

@testable import AuthctlCommands

/// `account update` and `account delete`.
@Suite struct AccountCommandTests {
    private static let newUser = Exchange.adaUser.replacing("ada@example.org", with: "new@example.org")

    private static func send(_ body: String, _ status: Int = 200, _ answer: String = "{}") -> Exchange {
        .embedded("PUT", "users/g7y9tkhB7O", token: Exchange.adaToken, body: body, status, answer)
    }

    private static let delete = Exchange.embedded(
        "DELETE", "users/g7y9tkhB7O", token: Exchange.adaToken, 200, "{}")

    private static func world(_ exchanges: Exchange...) -> TestContext {
        let world = TestContext()
        world.sessions.put(.ada)
        for exchange in exchanges { world.server.expect(exchange) }
        return world
    }

    // MARK: - Update

    @Test(arguments: [[], ["--json"]])
    func `account update prints the account and saves the user`(words: [String]) {
        let world = Self.world(
            .currentUser(), Self.send(#"{"email":"new@example.org"}"#), .currentUser(200, Self.newUser))
        world.run(words: ["account", "update", "--email", "new@example.org"] + words)
            .expectTranscript(in: "account", words.formatName)
        expect(world.sessions.current?.user.email, "new@example.org")
    }

    @Test(arguments: [[], ["--json"]])
    func `account update with the same values reports that nothing changed`(words: [String]) {
        Self.world(.currentUser()).run(words: ["account", "update", "--username", "ada"] + words)
            .expectTranscript(in: "account", words.formatName)
    }

    @Test func `account update sets text fields and JSON fields and removes fields`() {
        let world = Self.world(
            .currentUser(200, #"{"old":1,\#(Exchange.adaUser.dropFirst())"#),
            Self.send(#"{"name":"Ada","level":3,"old":{"__op":"Delete"}}"#), .currentUser())
        let words = ["account", "update", "--field", "name=Ada", "--field-json", "level=3", "--unset", "old"]
        expect(world.run(words: words).exitCode, 0)
    }

    @Test(
        arguments: [
            (["--email", "bob@example.org"], #"{"email":"bob@example.org"}"#, #"{"code":203,"error":"x"}"#, 6),
            (["--username", "bob"], #"{"username":"bob"}"#, #"{"code":202,"error":"x"}"#, 6),
            (["--field", "a-b=1"], #"{"a-b":"1"}"#, #"{"code":105,"error":"x"}"#, 7),
        ] as [([String], String, String, Int32)])
    func `a rejected account update keeps the saved user`(words: [String], body: String, answer: String, code: Int32) {
        let world = Self.world(.currentUser(), Self.send(body, 400, answer))
        world.run(words: ["account", "update"] + words).expectErrors(in: "account", words.commandLine, exitCode: code)
        expect(world.sessions.current?.user, .ada)
    }

    @Test func `account update with invalid options sends no request`() {
        let lines = [
            [], ["--username", ""], ["--field", "password=x"], ["--unset", "username"], ["--unset", ""],
            ["--field", "a=1", "--unset", "a"], ["--email", "a@b.c", "--unset", "email"],
            ["--field", "a=1", "--field-json", "a=2"], ["--unset", "a", "--unset", "a"],
        ]
        Self.world().expectErrors(in: "account", of: lines.map { ["account", "update"] + $0 })
    }

    // MARK: - Deletion

    @Test(arguments: [[], ["--json"]])
    func `account delete with --yes deletes the account and the saved session`(words: [String]) {
        let world = Self.world(.currentUser(), Self.delete)
        world.run(words: ["account", "delete", "--yes"] + words).expectTranscript(in: "account", words.formatName)
        expect(world.sessions.current, nil)
    }

    @Test func `account delete at a terminal prompts for the username`() {
        let world = Self.world(.currentUser(), Self.delete)
        world.isInputTerminal = true
        world.terminal.answer(.shown("ada"))
        expect(world.run("account", "delete").exitCode, 0)
        expect(world.terminal.questions, ["Type 'ada' to delete the account: "])
    }

    @Test(arguments: ["bob", "", "Ada"])
    func `account delete keeps the account and the session if a different username is typed`(name: String) {
        let world = Self.world(.currentUser())
        world.isInputTerminal = true
        world.terminal.answer(.shown(name))
        world.run("account", "delete").expectErrors(in: "account", "error", exitCode: 4)
        expect(world.sessions.current, .ada)
    }

    @Test(arguments: [true, false])
    func `account delete without --yes sends no request if it cannot prompt`(isTerminal: Bool) {
        let world = Self.world()
        world.isInputTerminal = isTerminal
        let result = world.run(words: ["account", "delete"] + (isTerminal ? ["--no-input"] : []))
        result.expectErrors(in: "account", isTerminal ? "--no-input" : "no terminal")
    }
}
