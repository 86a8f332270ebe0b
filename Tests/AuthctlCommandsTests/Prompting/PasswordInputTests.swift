import CommandTestSupport
import Platform

@testable import AuthctlCommands

/// The sources of a password: standard input, a file, AUTHCTL_PASSWORD and the terminal.
@Suite struct PasswordInputTests {
    private let world = TestContext()

    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), (" secret ", " secret "),
        ("é😀", "é😀"),
    ])
    func `a password from standard input loses only one line ending`(input: String, sent: String) {
        world.server.expect(.logIn("ada", sent), .currentSession())
        expect(world.run("login", "ada", "--password-stdin", stdin: input).exitCode, 0)
    }

    @Test func `AUTHCTL_PASSWORD_FILE names a file with the password, and is refused beside AUTHCTL_PASSWORD`() {
        world.environment = ["AUTHCTL_PASSWORD_FILE": "pw"]
        world.files["pw"] = "secret\n"
        world.server.expect(.logIn("ada", "secret"), .currentSession())
        expect(world.run("login", "ada").exitCode, 0)
        #expect(world.run("password", "reset", "--key", "1").stderr.contains("new password required"))
        world.environment["AUTHCTL_PASSWORD_FILE"] = "none"
        let missing = world.run("login", "ada")
        #expect(missing.exitCode == 2 && missing.stderr.contains("(from AUTHCTL_PASSWORD_FILE)"), "\(missing.stderr)")
        world.environment["AUTHCTL_PASSWORD"] = ""
        let both = world.run("login", "ada")
        #expect(both.exitCode == 2 && both.stderr.contains("mutually exclusive"), "\(both.stderr)")
    }

    @Test(arguments: [
        ("", "nothing"), ("a\0b", "a NUL character"), (String(repeating: "x", count: 65537), "65537 bytes"),
    ])
    func `a password that is empty, malformed or too long is rejected before any request`(
        input: String, situation: String
    ) {
        let result = TestContext().run("login", "ada", "--password-stdin", stdin: input)
        result.expectErrors(in: "password-input", situation)
    }

    @Test func `a password that is not UTF-8 is rejected`() {
        let input = SecretInput(what: "password", source: "standard input", masker: Masker())
        let error = #expect(throws: AuthError.self) { try input.password(from: [0x61, 0xFF]) }
        error?.expectMessage(in: "commands/password-input")
    }

    @Test(arguments: [
        ("secret\n\n", "a second line"), ("secret\r", "a carriage return"), ("\u{FEFF}secret", "a byte-order mark"),
    ])
    func `a password that no prompt accepts is rejected from every source`(password: String, situation: String) {
        let world = TestContext()
        world.files = ["/pw": password]
        world.sessions.put(.ada)
        world.run("login", "ada", "--password-stdin", stdin: password).expectErrors(in: "password-input", situation)
        for words in [["signup", "ada"], ["login", "ada"]] {
            expect(world.run(words: words + ["--password-file", "/pw"]).exitCode, 2, "\(words)")
        }
        expect(world.run("password", "change", "--password-stdin", stdin: "a\n\(password)").exitCode, 2)
        world.environment = ["AUTHCTL_PASSWORD": "a", "AUTHCTL_NEW_PASSWORD": password]
        expect(world.run("password", "change").exitCode, 2)
        expect(world.run("password", "reset", "--key", "1").exitCode, 2)
    }

    @Test(arguments: [
        ("r:1\nr:1\n", "has more than one line"), ("r:1\n\n", "has more than one line"), ("\u{FEFF}", "is empty"),
    ])
    func `a token of more than one line is rejected`(token: String, cause: String) {
        world.files = ["/token": token]
        for result in [
            world.run("login", "--token-file", "/token"), world.run("login", "--token-stdin", stdin: token),
            world.run("login", "--provider", "google", "--id-token-stdin", stdin: token),
        ] {
            #expect(result.stderr.hasSuffix(" \(cause)\n"))
            expect(result.exitCode, 2)
        }
    }

    @Test func `a byte-order mark before a token or a text is skipped`() throws {
        let input = SecretInput(what: "token", source: "file '/token'", masker: Masker())
        try expect(input.token(from: Array("\u{FEFF}r:1\r\n".utf8)).reveal(), "r:1")
        try expect(input.text(from: Array("\u{FEFF}{}\n".utf8)).reveal(), "{}")
    }

    @Test(arguments: [
        ["login", "ada", "--password-stdin"], ["login", "ada", "--password-file", "-"], ["login", "--token-stdin"],
        ["login", "--token-file", "-"], ["login", "--provider", "google", "--id-token-stdin"],
        ["login", "--provider", "google", "--code-stdin"], ["login", "--provider", "google", "--auth-data-file", "-"],
        ["signup", "ada", "--password-stdin"], ["verify-email", "--key-stdin"],
        ["password", "reset", "--key-file", "-"],
        ["password", "change", "--password-stdin"],
        ["login", "--anonymous", "--client-key-file", "-"]
            + ControlCharacterTests.parse,
    ])
    func `an option that reads a secret from a terminal hides it and says what it waits for`(words: [String]) {
        world.isInputTerminal = true
        world.sessions.put(.ada)
        // `--no-input` forbids prompts for missing values only.
        world.terminal.answer(.fault(.endOfInput))
        world.run(words: words + ["--no-input", "--quiet"]).expectTranscript(in: "hidden-input", words.commandLine)
    }

    @Test(arguments: [
        ["users", "create", "-", "--dry-run"], ["serve", "--seed", "-"], ["api", "users/me", "--input", "-"],
    ])
    func `a command that reads a document from a terminal says what it waits for`(words: [String]) {
        world.isInputTerminal = true
        let result = world.run(words: words, stdin: "{")
        let waits = result.stderr.split(separator: "\n").filter { $0.hasPrefix("authctl: note: waiting for the ") }
        expect(waits.count, 1)
    }

    @Test func `a password change from a terminal asks for both passwords`() {
        world.isInputTerminal = true
        world.sessions.put(.ada)
        world.terminal.answer(.hidden("correct horse"), .hidden(""))
        world.run("password", "change", "--password-stdin").expectTranscript(in: "hidden-input")
    }

    @Test(arguments: [
        ("", "empty"),
        // `Environment` replaces bytes that are not UTF-8 with U+FFFD.
        ("a\u{FFFD}", "not UTF-8"),
    ])
    func `an empty or malformed AUTHCTL_PASSWORD is rejected`(value: String, situation: String) {
        world.environment = ["AUTHCTL_PASSWORD": value]
        world.run("login", "ada").expectErrors(in: "password-input", situation)
    }

    @Test(
        arguments: [
            (["login", "ada", "--password-file", "/run/secret"], [:]), (["login", "--token-file", "/run/secret"], [:]),
            (["whoami", "--backend", "local"], ["AUTHCTL_TOKEN_FILE": "/run/secret"]),
            (["login", "--token-stdin", "--client-key-file", "/run/secret"] + ControlCharacterTests.parse, [:]),
            (["login", "--token-stdin"] + ControlCharacterTests.parse, ["AUTHCTL_CLIENT_KEY_FILE": "/run/secret"]),
        ] as [([String], [String: String])])
    func `a command reads a secret file that other users can write, but warns once`(
        words: [String], environment: [String: String]
    ) {
        world.environment = environment
        // The empty secret in the file stops every command before its request.
        world.files = ["/run/secret": "\n"]
        world.fileModes = ["/run/secret": 0o666]
        let result = world.run(words: words, stdin: "r:0")
        #expect(result.stderr.contains("is empty"))
        let warnings = result.stderr.split(separator: "\n").filter { $0.hasPrefix("authctl: warning: ") }
        expect(warnings.count, 1)
        #expect(warnings.first?.firstMatch(of: /is writable by other users; run: chmod go-r?w \/run\/secret$/) != nil)
    }

    @Test func `a login reads a password file that other users can read, but prints a warning`() {
        world.files = ["/run/secret": "correct horse"]
        world.fileModes = ["/run/secret": 0o644]
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "--password-file", "/run/secret").expectTranscript(in: "password-input", "own")
        world.mayChangeMode = false
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "ada", "--password-file", "/run/secret")
            .expectTranscript(in: "password-input", "another user's")
    }

    @Test func `--password-stdin overrides AUTHCTL_PASSWORD`() {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.server.expect(.logIn(), .currentSession(), .logIn("ada", "other"), .currentSession())
        expect(world.run("login", "ada").exitCode, 0)
        expect(world.run("login", "ada", "--password-stdin", stdin: "other").exitCode, 0)
    }

    @Test func `a password file that does not exist is rejected`() {
        TestContext().run("login", "ada", "--password-file", "/nowhere").expectTranscript(in: "password-input")
    }

    @Test(arguments: [
        (false, [] as [String], [:], "no terminal"), (true, ["--no-input"], [:], "--no-input"),
        (true, [], ["AUTHCTL_NO_INPUT": "1"], "AUTHCTL_NO_INPUT"), (true, [], ["CI": "true"], "CI"),
    ])
    func `login requires a password source if it cannot prompt`(
        isTerminal: Bool, words: [String], environment: [String: String], situation: String
    ) {
        world.isInputTerminal = isTerminal
        world.environment = environment
        world.run(words: ["login", "ada"] + words).expectErrors(in: "password-input", situation)
    }

    @Test(arguments: [["AUTHCTL_NO_INPUT": "0"], ["CI": "false"], ["CI": ""]])
    func `login prompts for a password if AUTHCTL_NO_INPUT or CI is empty, 0 or false`(environment: [String: String]) {
        world.isInputTerminal = true
        world.environment = environment
        world.terminal.answer(.hidden("correct horse"))
        world.server.expect(.logIn(), .currentSession())
        expect(world.run("login", "ada").exitCode, 0)
    }

    @Test(arguments: [
        (TerminalError.endOfInput, "end of input"), (.lineTooLong, "a line too long"), (.notUTF8, "not UTF-8"),
        (.unavailable, "no terminal"),
    ])
    func `login fails if the password cannot be read from the terminal`(fault: TerminalError, situation: String) {
        world.isInputTerminal = true
        world.terminal.answer(.fault(fault))
        world.run("login", "ada").expectTranscript(in: "password-input", situation)
    }

    @Test(arguments: [
        ["--password", "hunter22"], ["--password=hunter22"], ["-password=hunter22"], ["--pasword", "hunter22"],
        ["--token=hunter22"],
    ])
    func `a password or token on the command line is rejected and not repeated in the error`(words: [String]) {
        for format in [[], ["--json"]] {
            let result = TestContext().run(words: ["login", "ada"] + words + format)
            expect(result.exitCode, 2)
            #expect(!(result.stdout + result.stderr).contains("hunter22"))
        }
    }
}
