import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct PasswordCommandTests {
    @Test func `change sets the new password and keeps the session that comes with it`() {
        let world = Self.world()
        let result = world.run("password", "change", "--password-stdin", stdin: "correct horse\nbattery staple\n")
        result.expectTranscript(in: "password-change")
        #expect(world.sessions.current?.session.token == Secret("r:changed"))
        #expect(world.sessions.current?.session.id == "newID")
        #expect(world.sessions.current?.user == .ada)
    }

    @Test func `change says it in JSON`() {
        let result = Self.world().run(
            "password", "change", "--password-stdin", "--json", stdin: "correct horse\nbattery staple\n")
        #expect(
            result.stdout == """
                {"v":1,"kind":"password.change","profile":"default","session":{"id":"newID",\
                "createdAt":"2026-01-02T03:04:05Z","expiresAt":"2027-01-02T03:04:05Z"}}

                """)
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test(arguments: [
        "correct horse\nbattery staple", "correct horse\r\nbattery staple\r\n", "correct horse\nbattery staple\r\n",
    ])
    func `change reads two lines and drops their ends`(input: String) {
        #expect(Self.world().run("password", "change", "--password-stdin", stdin: input).exitCode == 0)
    }

    @Test func `change takes files, also one and standard input`() {
        for (words, input) in [
            (["--password-file", "/old", "--new-password-file", "/new"], nil),
            (["--password-file", "/old", "--new-password-file", "-"], "battery staple\n"),
            (["--password-file", "-", "--new-password-file", "/new"], "correct horse\n"),
            (["--password-stdin", "--new-password-file", "/new"], "correct horse\n"),
        ] as [([String], String?)] {
            let world = Self.world()
            world.files = ["/old": "correct horse\n", "/new": "battery staple\n"]
            #expect(world.run(words: ["password", "change"] + words, stdin: input).exitCode == 0, "\(words)")
        }
    }

    @Test func `change takes variables, after the options`() {
        let world = Self.world()
        world.environment = ["AUTHCTL_PASSWORD": "correct horse", "AUTHCTL_NEW_PASSWORD": "battery staple"]
        #expect(world.run("password", "change").exitCode == 0)
        let other = Self.world()
        other.environment = ["AUTHCTL_PASSWORD": "x", "AUTHCTL_NEW_PASSWORD": "y"]
        #expect(
            other.run("password", "change", "--password-stdin", stdin: "correct horse\nbattery staple").exitCode == 0)
    }

    @Test func `change asks at the terminal, for the new password twice`() {
        let world = Self.world()
        world.isInputTerminal = true
        world.terminal.answer(
            .hidden("correct horse"), .hidden("battery stapl"), .hidden("battery staple"), .hidden("battery staple"),
            .hidden("battery staple"))
        let result = world.run("password", "change")
        #expect(result.stderr == "authctl: warning: the two passwords are not the same; try again\n")
        #expect(result.exitCode == 0)
        #expect(
            world.terminal.questions == [
                "Password: ", "New password: ", "The same again: ", "New password: ", "The same again: ",
            ])
    }

    @Test(
        arguments: [
            (["--password-stdin"], [:], "correct horse\n", "the password from standard input is empty"),
            (["--password-stdin"], [:], "correct horse", "standard input holds one line instead of two"),
            (["--password-stdin"], [:], "", "standard input holds one line instead of two"),
            (["--password-stdin"], [:], "\nbattery staple\n", "the password from standard input is empty"),
            (
                ["--password-stdin"], [:], "a\0\nbattery staple\n",
                "the password from standard input holds a NUL character"
            ),
            (["--password-stdin"], [:], "a\nb\0\n", "the password from standard input holds a NUL character"),
            (
                ["--password-stdin", "--password-file", "x"], [:], "a\nb\n",
                "--password-stdin and --password-file both say where the password is"
            ),
            (
                [], ["AUTHCTL_PASSWORD": "x", "AUTHCTL_NEW_PASSWORD": ""], "",
                "the password from AUTHCTL_NEW_PASSWORD is empty"
            ),
            (
                [], ["AUTHCTL_PASSWORD": "x"], "",
                "a password is missing, and nobody can be asked: standard input is no terminal"
            ),
            (
                [], ["AUTHCTL_NEW_PASSWORD": "x"], "",
                "a password is missing, and nobody can be asked: standard input is no terminal"
            ),
            (["--new-password-file", "/nowhere", "--password-stdin"], [:], "x", "no password: cannot read '/nowhere'"),
        ] as [([String], [String: String], String, String)])
    func `change refuses what is missing or wrong before any request`(
        words: [String], environment: [String: String], input: String, message: String
    ) {
        let world = TestContext()
        world.sessions.put(.ada)
        world.environment = environment
        let result = world.run(words: ["password", "change"] + words, stdin: input)
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.stdout == "")
        #expect(result.exitCode == 2)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `change takes two passwords as long as the limit, and none longer`(end: String) {
        let (current, new) = (String(repeating: "x", count: 65536), String(repeating: "y", count: 65536))
        let world = Self.world(current, new)
        #expect(
            world.run("password", "change", "--password-stdin", stdin: current + end + new + end).exitCode == 0)
        for input in ["x" + current + end + new + end, current + end + "y" + new + end] {
            let refused = TestContext()
            refused.sessions.put(.ada)
            let result = refused.run("password", "change", "--password-stdin", stdin: input)
            #expect(
                result.stderr == "authctl: error: the password from standard input is longer than 65536 bytes\n")
            #expect(result.exitCode == 2)
        }
    }

    @Test func `change asks for nothing where nobody is logged in`() {
        let world = TestContext()
        world.isInputTerminal = true
        #expect(world.run("password", "change").exitCode == 3)
    }

    @Test func `change sends no new password that is too weak`() {
        let world = TestContext()
        world.sessions.put(.ada)
        let result = world.run("password", "change", "--password-stdin", "--json", stdin: "correct horse\nshort\n")
        #expect(result.stderr.contains(#""code":"invalid","exit":7,"reason":"weak-password""#))
        #expect(result.stderr.contains(#""fields":{"password":["must have at least 8 characters"]}"#))
        #expect(result.exitCode == 7)
    }

    @Test func `change keeps the session when the current password is wrong`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(
            .currentUser(), .logIn("ada", "wrong", 404, #"{"code":101,"error":"Invalid username/password."}"#))
        let result = world.run("password", "change", "--password-stdin", stdin: "wrong\nbattery staple\n")
        #expect(result.stderr == "authctl: error: cannot change the password: wrong user name or password\n")
        #expect(result.exitCode == 4)
        #expect(world.sessions.current == .ada)
    }

    @Test func `change says that the password is changed when the session cannot be kept`() {
        let world = Self.world()
        world.sessions.fail(.update, with: AuthError(.noSpace, "no room"))
        let result = world.run("password", "change", "--password-stdin", stdin: "correct horse\nbattery staple\n")
        #expect(
            result.stderr == """
                authctl: error: the password was changed, but the new session could not be kept: no room
                authctl: hint: once that is fixed, log in with the new password: authctl login

                """)
        #expect(result.stdout == "")
        #expect(result.exitCode == 12)
    }

    @Test func `change never shows a password`() {
        let result = Self.world().run(
            "password", "change", "--password-stdin", "-v", stdin: "correct horse\nbattery staple\n")
        for secret in ["correct horse", "battery staple", "r:"] {
            #expect(!(result.stdout + result.stderr).contains(secret))
        }
    }

    @Test func `reset ends with the same words whoever has the address`() {
        let output = PasswordResetCommand.Output(profile: "ci", email: "ada@example.org\u{1B}")
        #expect(
            output.text(.plain)
                == "if an account has the address ada@example.org\\u{1b}, a mail is on its way: follow its link\n")
        #expect(output.json.text == #"{"v":1,"kind":"password.reset","profile":"ci","sent":true}"#)
    }

    @Test func `reset needs an address`() {
        #expect(TestContext().run("password", "reset").exitCode == 2)
    }

    @Test(
        arguments: [
            (
                .mail(VerificationMail(email: "a@b.c", wasSent: true, isCertain: false)),
                "if a@b.c waits to be verified, a mail is on its way: follow its link\n",
                #""sent":true,"verified":false,"user":null}"#
            ),
            (
                .mail(VerificationMail(email: "a@b.c", wasSent: true)), "a mail was sent to a@b.c: follow its link\n",
                #""sent":true,"verified":false,"user":null}"#
            ),
            (
                .mail(VerificationMail(email: "a@b.c", wasSent: false)), "the address a@b.c is verified already\n",
                #""sent":false,"verified":true,"user":null}"#
            ),
            (.verified(nil), "the address is verified\n", #""sent":false,"verified":true,"user":null}"#),
        ] as [(VerifyEmailCommand.Output.Task, String, String)])
    func `verify-email ends with what was sent or confirmed`(
        task: VerifyEmailCommand.Output.Task, text: String, end: String
    ) {
        let output = VerifyEmailCommand.Output(profile: "ci", task: task)
        #expect(output.text(.plain) == text)
        #expect(output.json.text == #"{"v":1,"kind":"verify-email","profile":"ci",\#(end)"#)
    }

    @Test func `verify-email needs a log-in where no address is named`() {
        #expect(TestContext().run("verify-email").exitCode == 3)
        let world = TestContext()
        world.sessions.put(.sample(user: User(username: "ada")))
        let result = world.run("verify-email")
        #expect(
            result.stderr == """
                authctl: error: the account has no e-mail that is known here
                authctl: hint: name it with --email

                """)
        #expect(result.exitCode == 2)
    }

    /// Somebody is logged in whose server changes a password.
    private static func world(_ current: String = "correct horse", _ new: String = "battery staple") -> TestContext {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(
            .currentUser(), .logIn("ada", current, 200, #"{"sessionToken":"r:trial"}"#), .logOut(token: "r:trial"),
            .setPassword(new), .currentSession(token: "r:changed", id: "newID"))
        return world
    }
}
