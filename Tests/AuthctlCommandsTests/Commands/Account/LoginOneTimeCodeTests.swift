import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct LoginOneTimeCodeTests {
    let world = TestContext()

    @Test func `login sends the one-time code given with --otp`() {
        world.server.expect(.logInCode("123456"), .currentSession())
        let result = world.run("login", "ada", "--password-stdin", "--otp", "123456", stdin: "correct horse")
        expect(result.stderr, "")
        expect(result.exitCode, 0)
        expect(world.sessions.current?.session.token, Session.ada.token)
    }

    @Test func `login at a terminal prompts for a one-time code without echo if the server requires it`() {
        world.isInputTerminal = true
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.terminal.answer(.hidden("three words more"))
        world.server.expect(.codeRequired, .logInCode("three words more"), .currentSession())
        world.run("login", "ada").expectTranscript(in: "login")
    }

    @Test func `login without a terminal suggests --otp when the server requires a one-time code`() {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.server.expect(.codeRequired)
        world.run("login", "ada").expectTranscript(in: "login")
        expect(world.sessions.current, nil)
    }

    @Test(arguments: [
        (StubTerminal.Answer.hidden("1\u{7}"), "a control character"), (.fault(.unavailable), "the terminal is gone"),
    ])
    func `login fails if the prompt returns no valid one-time code`(answer: StubTerminal.Answer, situation: String) {
        world.isInputTerminal = true
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.terminal.answer(answer)
        world.server.expect(.codeRequired)
        world.run("login", "ada").expectTranscript(in: "login", situation)
    }

    @Test func `login does not prompt again after a wrong one-time code`() {
        world.isInputTerminal = true
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        world.terminal.answer(.hidden("000000"))
        world.server.expect(
            .codeRequired, .logInCode("000000", 400, #"{"code":141,"error":"Invalid MFA token"}"#))
        world.run("login", "ada").expectTranscript(in: "login")
    }

    @Test func `login rejects a malformed one-time code before any request`() {
        let lines = ["", "1\u{7F}"].map { ["login", "ada", "--otp=\($0)", "--password-stdin"] }
        world.expectErrors(in: "login", of: lines, stdin: "correct horse")
    }

    @Test func `login with --otp fails on a server without second factors`() {
        world.server.expect(
            .logInCode("1", 400, #"{"code":252,"error":"This authentication method is unsupported."}"#))
        let result = world.run("login", "ada", "--otp", "1", "--password-stdin", stdin: "correct horse")
        result.expectTranscript(in: "login")
    }

    @Test(arguments: [
        ["supabase", "--server", "https://a.example"], ["pocketbase", "--server", "https://a.example"],
        ["firebase", "--server", "http://127.0.0.1:9099", "--app-id", "demo"],
    ])
    func `login with --otp request sends nothing to a server that would take the word for a code`(server: [String]) {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        let words = ["login", "ada@example.org", "--otp", "request", "--backend"] + server
        expect(world.run(words: words).exitCode, 10)
    }

    @Test(arguments: ["login", "signup"])
    func `a session name that is no address is not the default name where accounts have an e-mail`(command: String) {
        world.environment = ["AUTHCTL_PASSWORD": "correct horse"]
        let words = [command, "--as", "phone", "--backend", "supabase", "--server", "https://a.example"]
        let result = world.run(words: words)
        #expect(result.exitCode == 2 && result.stderr.contains("e-mail required"))
    }
}

extension Exchange {
    fileprivate static let codeRequired = logIn(
        "ada", "correct horse", 400, #"{"code":-1,"error":"Missing additional authData mfa"}"#)

    fileprivate static func logInCode(_ code: String, _ status: Int = 200, _ answer: String? = nil) -> Exchange {
        embedded(
            "POST", "login",
            body: #"{"username":"ada","password":"correct horse","authData":{"mfa":{"token":"\#(code)"}}}"#,
            startsSession: true, status, answer ?? #"{"sessionToken":"\#(adaToken)",\#(adaUser.dropFirst())"#)
    }
}
