import CommandTestSupport

@testable import AuthctlCommands

@Suite struct PasswordChangeCommandTests {
    @Test(arguments: [[], ["--json"]])
    func `a password change saves the new session`(words: [String]) {
        let world = Self.world()
        world.run(words: ["password", "change", "--password-stdin"] + words, stdin: "correct horse\nbattery staple\n")
            .expectTranscript(in: "password-change", words.formatName)
        expect(world.sessions.current?.session.token, Secret("r:changed"))
        expect(world.sessions.current?.session.id, "newID")
        expect(world.sessions.current?.user, .ada)
    }

    @Test(arguments: [
        "correct horse\nbattery staple", "correct horse\r\nbattery staple\r\n", "correct horse\nbattery staple\r\n",
    ])
    func `a password change reads two lines of standard input and strips the line endings`(input: String) {
        expect(Self.world().run("password", "change", "--password-stdin", stdin: input).exitCode, 0)
    }

    @Test(
        arguments: [
            (["--password-file", "/old", "--new-password-file", "/new"], nil),
            (["--password-file", "/old", "--new-password-file", "-"], "battery staple\n"),
            (["--password-file", "-", "--new-password-file", "/new"], "correct horse\n"),
            (["--password-stdin", "--new-password-file", "/new"], "correct horse\n"),
        ] as [([String], String?)])
    func `a password change reads the passwords from files, standard input or both`(words: [String], input: String?) {
        let world = Self.world()
        world.files = ["/old": "correct horse\n", "/new": "battery staple\n"]
        expect(world.run(words: ["password", "change"] + words, stdin: input).exitCode, 0)
    }

    @Test func `a password change reads the passwords from environment variables unless an option is given`() {
        let world = Self.world()
        world.environment = ["AUTHCTL_PASSWORD": "correct horse", "AUTHCTL_NEW_PASSWORD": "battery staple"]
        expect(world.run("password", "change").exitCode, 0)
        let other = Self.world()
        other.environment = ["AUTHCTL_PASSWORD": "x", "AUTHCTL_NEW_PASSWORD": "y"]
        expect(other.run("password", "change", "--password-stdin", stdin: "correct horse\nbattery staple").exitCode, 0)
    }

    @Test func `a password change checks the current password before it prompts for the new password`() {
        let world = TestContext()
        world.sessions.put(.ada)
        Self.expectCheck(in: world)
        Self.expectChange(in: world)
        world.isInputTerminal = true
        world.terminal.answer(
            .hidden("correct horse"), .hidden("battery stapl"), .hidden("battery staple"), .hidden("battery staple"),
            .hidden("battery staple"))
        world.run("password", "change").expectTranscript(in: "password-change")
        expect(world.terminal.questions.count, 5)
    }

    @Test(
        arguments: [
            (["--password-stdin"], [:], "correct horse", "one line"),
            (["--password-stdin"], [:], "\nbattery staple\n", "an empty password"),
            (["--password-stdin"], [:], "a\n\nb\n", "three lines"),
            (["--password-stdin"], [:], "a\n\n", "an empty new password"),
            (["--password-stdin"], [:], "a\nb\0\n", "a NUL character in the new password"),
            ([], ["AUTHCTL_PASSWORD": "x"], "", "no new password"),
            (["--new-password-file", "/nowhere", "--password-stdin"], [:], "x", "a file that does not exist"),
        ] as [([String], [String: String], String, String)])
    func `a password change rejects missing and malformed passwords before any request`(
        words: [String], environment: [String: String], input: String, situation: String
    ) {
        let world = TestContext()
        world.sessions.put(.ada)
        world.environment = environment
        world.run(words: ["password", "change"] + words, stdin: input).expectErrors(in: "password-change", situation)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `a password change accepts two passwords of the maximum length and rejects longer passwords`(end: String) {
        let (current, new) = (String(repeating: "x", count: 65536), String(repeating: "y", count: 65536))
        let world = Self.world(current, new)
        expect(world.run("password", "change", "--password-stdin", stdin: current + end + new + end).exitCode, 0)
        for input in ["x" + current + end + new + end, current + end + "y" + new + end] {
            let rejected = TestContext()
            rejected.sessions.put(.ada)
            let result = rejected.run("password", "change", "--password-stdin", stdin: input)
            #expect(result.stderr.contains("65536"))
            expect(result.exitCode, 2)
        }
    }

    @Test func `a password change without a session prints no prompt`() {
        let world = TestContext()
        world.isInputTerminal = true
        expect(world.run("password", "change").exitCode, 3)
        expect(world.terminal.questions, [])
    }

    /// A logged-in user and a server that changes the password.
    private static func world(_ current: String = "correct horse", _ new: String = "battery staple") -> TestContext {
        let world = TestContext()
        world.sessions.put(.ada)
        expectChange(in: world, current, new)
        return world
    }

    private static func expectCheck(in world: TestContext, _ current: String = "correct horse") {
        world.server.expect(.currentUser(), .verifyPassword(current))
    }

    private static func expectChange(
        in world: TestContext, _ current: String = "correct horse", _ new: String = "battery staple"
    ) {
        expectCheck(in: world, current)
        world.server.expect(.setPassword(new), .currentSession(token: "r:changed", id: "newID"))
    }
}
