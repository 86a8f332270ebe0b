import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

/// The code of a second factor at `login`.
@Suite struct OneTimeCodeTests {
    let world = TestContext()

    @Test func `is given by an option`() {
        world.server.expect(.logInCode("123456"), .currentSession())
        let result = world.run("login", "ada", "--password-stdin", "--otp", "123456", stdin: "correct horse")
        #expect(result.stdout == "logged in as ada (profile 'default', accounts on this machine)\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test func `is asked for at the terminal, unseen, when the server wants one`() {
        world.isInputTerminal = true
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.terminal.answer(.hidden("three words more"))
        world.server.expect(.codeWanted, .logInCode("three words more"), .currentSession())
        #expect(world.run("login", "ada").exitCode == 0)
        #expect(world.terminal.questions == ["One-time code: "])
    }

    @Test(arguments: [
        (false, [] as [String], [:]), (true, ["--no-input"], [:]), (true, [], ["CI": "1"]),
    ])
    func `is named as missing where there is nobody to ask`(
        isTerminal: Bool, words: [String], environment: [String: String]
    ) {
        world.isInputTerminal = isTerminal
        world.environment = environment.merging(["AUTHCTL_PASSWORD": "correct horse"]) { $1 }
        world.server.expect(.codeWanted)
        let result = world.run(words: ["login", "ada"] + words)
        #expect(
            result.stderr == """
                authctl: error: cannot log in as 'ada': the account has a second factor
                authctl: hint: give the one-time code, or a recovery code: authctl login --otp CODE ada

                """)
        #expect(result.exitCode == 5)
        #expect(world.sessions.current == nil)
    }

    @Test func `is named as missing in JSON`() {
        world.server.expect(.codeWanted)
        let result = world.run("login", "ada", "--password-stdin", "--json", stdin: "correct horse")
        #expect(result.stdout == "")
        #expect(
            result.stderr.hasPrefix(
                #"{"v":1,"kind":"error","error":{"code":"action-needed","exit":5,"reason":"second-factor-required","#))
    }

    @Test(arguments: [
        (StubTerminal.Answer.hidden(""), "the one-time code is empty", 2 as Int32),
        (.hidden("1\u{7}"), "the one-time code holds a control character", 2),
        (.fault(.endOfInput), "the input ended before a one-time code was entered", 2),
        (.fault(.lineTooLong), "the one-time code is longer than a terminal takes", 2),
        (.fault(.unavailable), "cannot log in as 'ada': the account has a second factor", 5),
    ])
    func `is missing when the terminal gives none`(answer: StubTerminal.Answer, message: String, exitCode: Int32) {
        world.isInputTerminal = true
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.terminal.answer(answer)
        world.server.expect(.codeWanted)
        let result = world.run("login", "ada")
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == exitCode)
    }

    @Test func `is asked for once`() {
        world.isInputTerminal = true
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.terminal.answer(.hidden("000000"))
        world.server.expect(
            .codeWanted, .logInCode("000000", 400, #"{"code":141,"error":"Invalid MFA token"}"#))
        let result = world.run("login", "ada")
        #expect(
            result.stderr
                == "authctl: error: cannot log in as 'ada': the server does not accept the one-time code: \"Invalid MFA token\" (code 141)\n"
        )
        #expect(result.exitCode == 4)
    }

    @Test(arguments: [
        ("", "is empty"), ("12\n", "holds a control character"), ("1\u{7F}", "holds a control character"),
    ])
    func `is refused before any request`(code: String, fault: String) {
        let result = world.run("login", "ada", "--otp=\(code)", "--password-stdin", stdin: "correct horse")
        #expect(result.stderr == "authctl: error: the one-time code \(fault)\n")
        #expect(result.exitCode == 2)
    }

    @Test func `is of no use where accounts have no second factor`() {
        world.server.expect(
            .logInCode("1", 400, #"{"code":252,"error":"This authentication method is unsupported."}"#))
        let result = world.run("login", "ada", "--otp", "1", "--password-stdin", stdin: "correct horse")
        #expect(
            result.stderr == """
                authctl: error: cannot log in as 'ada': the server has no second factor
                authctl: hint: leave out --otp

                """)
        #expect(result.exitCode == 10)
    }

    @Test(arguments: [["--token-stdin"], ["--anonymous"]])
    func `goes with a password or with Facebook`(words: [String]) {
        let result = world.run(words: ["login", "--otp", "1"] + words)
        #expect(result.stderr.hasPrefix("authctl: error: there is more than one way to log in in this command\n"))
        #expect(result.exitCode == 2)
    }
}

extension Exchange {
    fileprivate static let codeWanted = logIn(
        "ada", "correct horse", 400, #"{"code":-1,"error":"Missing additional authData mfa"}"#)

    fileprivate static func logInCode(_ code: String, _ status: Int = 200, _ answer: String? = nil) -> Exchange {
        embedded(
            "POST", "login",
            body: #"{"username":"ada","password":"correct horse","authData":{"mfa":{"token":"\#(code)"}}}"#,
            startsSession: true, status, answer ?? #"{"sessionToken":"\#(adaToken)",\#(adaUser.dropFirst())"#)
    }
}
