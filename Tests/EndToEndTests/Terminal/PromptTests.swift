import Foundation
import TestSupport
import Testing

/// A person at a terminal, asked for what is missing.
@Suite(.keepsInvariants) struct PromptTests {
    private let world: Sandbox
    private let terminal: PseudoTerminal

    init() throws {
        world = try Sandbox()
        terminal = try PseudoTerminal()
    }

    @Test func `signup asks for everything, for the password twice and unseen`() throws {
        let signup = try world.start(["signup"], terminal: terminal)
        #expect(terminal.waitFor("User name: "))
        #expect(terminal.isEchoing)
        terminal.type("ada\n")
        #expect(terminal.waitFor("Password: "))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor("The same again: "))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        #expect(signup.wait().exitCode == 0)
        #expect(terminal.isEchoing)
        #expect(!terminal.shown.contains(Sandbox.password))
        #expect(terminal.shown.contains("created account "))
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `login asks once`() throws {
        try world.signUp("ada")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\(Sandbox.password)\n")
        #expect(login.wait().exitCode == 0)
        #expect(!terminal.shown.contains("again"))
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `passwords that differ are asked for again`() throws {
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        answer("Password: ", "first answer")
        answer("The same again: ", "second answer")
        #expect(terminal.waitFor("warning"))
        answer("Password: ", Sandbox.password, times: 2)
        answer("The same again: ", Sandbox.password, times: 2)
        #expect(signup.wait().exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `three times different is given up`() throws {
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        for time in 1...3 {
            answer("Password: ", "first answer", times: time)
            answer("The same again: ", "second answer", times: time)
        }
        #expect(signup.wait().exitCode == 7)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `an empty password is refused`() throws {
        let login = try world.start(["login", "ada"], terminal: terminal)
        answer("Password: ", "")
        #expect(login.wait().exitCode == 2)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `the terminal hides before it asks`() throws {
        let trace = "\(world.root)/trace"
        let login = try world.start(
            ["login", "ada"], under: .strace("ioctl,write", into: trace), terminal: terminal)
        answer("Password: ", "x")
        #expect(login.wait().exitCode == 4)
        let lines = try world.text(trace).split(separator: "\n")
        let hides = try #require(lines.firstIndex { $0.contains("TCSETS") && !$0.contains("|ECHO|") })
        let asks = try #require(lines.firstIndex { $0.contains("write(") && $0.contains("Password: ") })
        #expect(hides < asks)
    }

    @Test(arguments: [("\u{3}", SIGINT), ("\u{1C}", SIGQUIT)])
    func `the keys that end a program end it by their signal`(key: String, signal: Int32) throws {
        let before = terminal.settingsText
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        #expect(terminal.settingsText != before)
        terminal.type("half a passw\(key)")
        #expect(signup.wait().signal == signal)
        #expect(terminal.settingsText == before)
        #expect(!terminal.shown.contains("half"))
        #expect(world.contents(of: world.home) == [])
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func `a signal ends it with the terminal as it was`(signal: Int32) throws {
        let before = terminal.settingsText
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        signup.send(signal)
        #expect(signup.wait().signal == signal)
        #expect(terminal.settingsText == before)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `a signal at the second prompt stores nothing`() throws {
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        answer("Password: ", Sandbox.password)
        #expect(terminal.waitFor("The same again: "))
        terminal.type("\u{3}")
        #expect(signup.wait().signal == SIGINT)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `a window that closes ends it`() throws {
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.hangUp()
        let end = signup.wait()
        #expect(end.signal == SIGHUP || end.exitCode == 2)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `stopped and continued it asks again and works`() throws {
        let before = terminal.settingsText
        let script = """
            set -m
            "$A" signup ada
            echo "stopped with $?"
            read -r
            fg >/dev/null
            echo "ended with $?"
            """
        let shell = try world.start(
            [], environment: ["A": BuiltBinary.path], terminal: terminal, program: ["/bin/bash", "-c", script])
        #expect(terminal.waitFor("Password: "))
        terminal.type("\u{1A}")
        #expect(terminal.waitFor("stopped with 148"))
        #expect(terminal.settingsText == before)
        terminal.type("\n")
        answer("Password: ", Sandbox.password, times: 2)
        answer("The same again: ", Sandbox.password)
        #expect(terminal.waitFor("ended with 0"))
        #expect(shell.wait().exitCode == 0)
        #expect(terminal.settingsText == before)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `the end of input has a message of its own`() throws {
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\u{4}")
        #expect(login.wait().exitCode == 2)
        #expect(terminal.shown.contains("the input ended before a password was entered"))
        #expect(terminal.isEchoing)
    }

    @Test func `an error after a visible prompt begins on a line of its own`() throws {
        let login = try world.start(["login"], terminal: terminal)
        #expect(terminal.waitFor("User name: "))
        terminal.type("\u{4}")
        #expect(login.wait().exitCode == 2)
        #expect(terminal.shown.contains("User name: \r\nauthctl: "))
        #expect(terminal.shown.contains("the input ended before a user name was entered"))
    }

    @Test func `the code of a second factor is asked for unseen`() throws {
        let login = """
            {"objectId":"a1","username":"ada","sessionToken":"r:0123","createdAt":"2026-01-01T00:00:00.000Z"}
            """
        let wanted = #"{"code":-1,"error":"Missing additional authData mfa"}"#
        let server = try ScriptedServer([
            "/parse/login": [
                .answer("400 Bad Request", ["Content-Type: application/json"], wanted),
                .answer("200 OK", ["Content-Type: application/json"], login),
            ],
            "*": [.answer("404 Not Found", ["Content-Type: application/json"], #"{"code":101,"error":"none"}"#)],
        ])
        let program = try world.start(["login", "ada"] + server.options, terminal: terminal)
        answer("Password: ", Sandbox.password)
        #expect(terminal.waitFor("One-time code: "))
        #expect(!terminal.isEchoing)
        terminal.type("123456\n")
        #expect(program.wait().exitCode == 0)
        #expect(!terminal.shown.contains("123456"))
        #expect(server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("123456") })
    }

    @Test(arguments: [
        (["--no-input"], [:]), ([], ["CI": "1"]), ([], ["CI": "true"]), ([], ["AUTHCTL_NO_INPUT": "1"]),
    ])
    func `who is not to be asked is not asked`(words: [String], environment: [String: String]) throws {
        let login = try world.start(["login", "ada"] + words, environment: environment, terminal: terminal)
        #expect(login.wait().exitCode == 2)
        #expect(!terminal.shown.contains("Password: "))
        #expect(terminal.shown.contains("--password-stdin"))
    }

    @Test func `a redirected output holds no prompt`() throws {
        try world.signUp("ada")
        let path = "\(world.root)/redirected"
        let script = #""$A" login ada --json >"\#(path)""#
        let login = try world.start(
            [], environment: ["A": BuiltBinary.path], terminal: terminal, program: ["/bin/bash", "-c", script])
        answer("Password: ", Sandbox.password)
        #expect(login.wait().exitCode == 0)
        #expect(try world.text(path).hasPrefix(#"{"v":1,"kind":"login","#))
        #expect(try !world.text(path).contains("Password"))
    }

    @Test func `a password that was handed over is not asked for`() throws {
        let signup = try world.start(
            ["signup", "ada"], environment: ["AUTHCTL_PASSWORD": Sandbox.password], terminal: terminal)
        #expect(signup.wait().exitCode == 0)
        #expect(!terminal.shown.contains("Password: "))
    }

    @Test func `what was typed before the prompt is thrown away`() throws {
        terminal.type("typed ahead\n")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\u{4}")
        #expect(login.wait().exitCode == 2)
    }

    @Test func `a process that may not be interrupted is not`() throws {
        let signup = try world.start(["signup", "ada"], under: .shell("trap '' INT"), terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        signup.send(SIGINT)
        terminal.type("\u{4}")
        #expect(signup.wait().exitCode == 2)
    }

    private func answer(_ prompt: String, _ text: String, times: Int = 1) {
        #expect(terminal.waitFor(prompt, times: times))
        terminal.type("\(text)\n")
    }
}
