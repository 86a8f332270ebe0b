import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

/// Where a password can come from, the same for all commands that need one.
@Suite struct PasswordInputTests {
    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), ("secret\n\n", #"secret\n"#),
        (" secret ", " secret "), ("secret\r", #"secret\r"#), ("se\ncret\n", #"se\ncret"#), ("é😀", "é😀"),
    ])
    func `loses one line end and nothing else`(input: String, sent: String) {
        let world = TestContext()
        world.server.expect(.logIn("ada", sent), .currentSession())
        #expect(world.run("login", "ada", "--password-stdin", stdin: input).exitCode == 0)
    }

    @Test(arguments: [
        ("", "is empty"), ("\n", "is empty"), ("\r\n", "is empty"), ("a\0b", "holds a NUL character"),
        (String(repeating: "x", count: 65537), "is longer than 65536 bytes"),
        (String(repeating: "x", count: 70000), "is longer than 65536 bytes"),
    ])
    func `is refused before any request`(input: String, fault: String) {
        let result = TestContext().run("login", "ada", "--password-stdin", stdin: input)
        #expect(result.stderr == "authctl: error: the password from standard input \(fault)\n")
        #expect(result.exitCode == 2)
    }

    @Test func `may be as long as the limit`() {
        let password = String(repeating: "x", count: 65536)
        let world = TestContext()
        world.server.expect(.logIn("ada", password), .currentSession())
        #expect(world.run("login", "ada", "--password-stdin", stdin: password + "\r\n").exitCode == 0)
    }

    @Test func `is refused if it is not UTF-8`() {
        let input = SecretInput(what: "password", source: "standard input")
        let error = #expect(throws: AuthError.self) { try input.secret(from: [0x61, 0xFF]) }
        #expect(error?.message == "the password from standard input is not UTF-8")
    }

    @Test func `is refused if the environment gave no UTF-8`() {
        let world = TestContext()
        // What the system makes of other bytes.
        world.environment = ["AUTHCTL_PASSWORD": "a\u{FFFD}"]
        let result = world.run("login", "ada")
        #expect(result.stderr == "authctl: error: the password from AUTHCTL_PASSWORD is not UTF-8\n")
        #expect(result.exitCode == 2)
    }

    @Test func `comes from a file`() {
        let world = TestContext()
        world.files = ["/run/pw": "correct horse\n"]
        world.server.expect(.logIn(), .currentSession())
        #expect(world.run("login", "ada", "--password-file", "/run/pw").exitCode == 0)
    }

    @Test func `comes from standard input if the file is a dash`() {
        let world = TestContext()
        world.server.expect(.logIn(), .currentSession())
        #expect(world.run("login", "ada", "--password-file", "-", stdin: "correct horse").exitCode == 0)
    }

    @Test func `comes from the environment, after the options`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.server.expect(.logIn(), .currentSession(), .logIn("ada", "other"), .currentSession())
        #expect(world.run("login", "ada").exitCode == 0)
        #expect(world.run("login", "ada", "--password-stdin", stdin: "other").exitCode == 0)
    }

    @Test func `is refused if the environment's is empty`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_PASSWORD": ""]
        let result = world.run("login", "ada")
        #expect(result.stderr == "authctl: error: the password from AUTHCTL_PASSWORD is empty\n")
        #expect(result.exitCode == 2)
    }

    @Test func `comes from one place only`() {
        let result = TestContext().run("login", "ada", "--password-stdin", "--password-file", "x", stdin: "y")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("--password-stdin and --password-file both say where the password is"))
    }

    @Test func `cannot come from a file that is not there`() {
        let result = TestContext().run("login", "ada", "--password-file", "/nowhere")
        #expect(result.stderr == "authctl: error: no password: cannot read '/nowhere'\n")
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        (false, [] as [String], [:], "standard input is no terminal"),
        (true, ["--no-input"], [:], "--no-input is given"),
        (true, [], ["AUTHCTL_NO_INPUT": "1"], "AUTHCTL_NO_INPUT is set"),
        (true, [], ["CI": "true"], "CI is set"),
    ])
    func `is asked for only where somebody may be asked`(
        isTerminal: Bool, words: [String], environment: [String: String], reason: String
    ) {
        let world = TestContext()
        world.isInputTerminal = isTerminal
        world.environment = environment
        let result = world.run(words: ["login", "ada"] + words)
        #expect(
            result.stderr == """
                authctl: error: a password is missing, and nobody can be asked: \(reason)
                authctl: hint: give it with --password-stdin, --password-file FILE or AUTHCTL_PASSWORD

                """)
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [["AUTHCTL_NO_INPUT": "0"], ["CI": "false"], ["CI": ""]])
    func `is asked for where a switch is off`(environment: [String: String]) {
        let world = TestContext()
        world.isInputTerminal = true
        world.environment = environment
        world.terminal.answer(.hidden("correct horse"))
        world.server.expect(.logIn(), .currentSession())
        #expect(world.run("login", "ada").exitCode == 0)
    }

    @Test(arguments: [
        (TerminalError.endOfInput, "the input ended before a password was entered"),
        (.lineTooLong, "the password is longer than a terminal takes"),
        (.notUTF8, "the password from the terminal is not UTF-8"),
        (.unavailable, "a password is missing, and nobody can be asked: there is no terminal"),
    ])
    func `is missing when the terminal gives none`(fault: TerminalError, message: String) {
        let world = TestContext()
        world.isInputTerminal = true
        world.terminal.answer(.fault(fault))
        let result = world.run("login", "ada")
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ["--password", "hunter22"], ["--password=hunter22"], ["-password=hunter22"], ["--pasword", "hunter22"],
        ["--token=hunter22"], ["--passwordhunter22"],
    ])
    func `is never an option's value, nor repeated`(words: [String]) {
        for format in [[], ["--json"]] {
            let result = TestContext().run(words: ["login", "ada"] + words + format)
            #expect(result.exitCode == 2)
            if words != ["--passwordhunter22"] { #expect(!(result.stdout + result.stderr).contains("hunter22")) }
        }
    }
}
