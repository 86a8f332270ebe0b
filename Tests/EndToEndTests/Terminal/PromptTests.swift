import Foundation
import TestSupport

/// Prompts at a terminal for missing values.
@Suite(.mostlyWaits, .keepsInvariants) struct PromptTests {
    private let world = Sandbox()
    private let terminal = PseudoTerminal()

    @Test func `a signup prompts for username and e-mail, and twice for the password without echo`() throws {
        let signup = try world.start(["signup"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.username))
        #expect(terminal.isEchoing)
        terminal.type("ada\n")
        answer(Prompt.optionalEmail, "")
        #expect(terminal.waitFor(Prompt.password))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor(Prompt.confirmation))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        expect(signup.wait().exitCode, 0)
        #expect(terminal.isEchoing)
        #expect(!terminal.shown.contains(Sandbox.password))
        try expect(world.logIn("ada").exitCode, 0)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a login disables the echo before it writes the password prompt`() throws {
        let trace = "\(world.root)/trace"
        let login = try world.start(["login", "ada"], under: .strace("ioctl,write", into: trace), terminal: terminal)
        answer(Prompt.password, "x")
        answer(Prompt.password, "x", times: 2)
        expect(login.wait().exitCode, 4)
        let lines = try world.text(trace).split(separator: "\n")
        let hides = try #require(lines.firstIndex { $0.contains("TCSETS") && !$0.contains("|ECHO|") })
        let asks = try #require(lines.firstIndex { $0.contains("write(") && $0.contains(Prompt.password) })
        #expect(hides < asks)
    }

    @Test func `a closed terminal window ends a waiting prompt`() throws {
        let signup = try world.start(["signup", "ada"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        terminal.hangUp()
        let end = signup.wait()
        #expect(end.signal == SIGHUP || end.exitCode == 2)
        expect(world.contents(of: world.home), [])
    }

    @Test func `a signup stopped by Ctrl-Z prompts again when it is continued`() throws {
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
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("\u{1A}")
        #expect(terminal.waitFor("stopped with 148"))
        expect(terminal.settingsText, before)
        terminal.type("\n")
        answer(Prompt.password, Sandbox.password, times: 2)
        answer(Prompt.confirmation, Sandbox.password)
        #expect(terminal.waitFor("ended with 0"))
        expect(shell.wait().exitCode, 0)
        expect(terminal.settingsText, before)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `after a wrong password, a login prompts once more`() throws {
        try world.signUp("ada")
        let login = try world.start(["login", "ada"], terminal: terminal)
        answer(Prompt.password, "wrong horse")
        answer(Prompt.password, Sandbox.password, times: 2)
        expect(login.wait().exitCode, 0)
        #expect(terminal.shown.contains("wrong username or password"))
        let given = try world.start(["login", "ada", "--password-stdin"], input: "no\n", terminal: terminal)
        expect(given.wait().exitCode, 4)
    }

    @Test func `a signup prompts again for the values that the server rejects`() throws {
        try world.signUp("ada")
        let signup = try world.start(["signup"], terminal: terminal)
        answer(Prompt.username, "ada")
        answer(Prompt.optionalEmail, "")
        answer(Prompt.password, Sandbox.password)
        answer(Prompt.confirmation, Sandbox.password)
        answer(Prompt.username, "eve", times: 2)
        answer(Prompt.optionalEmail, "", times: 2)
        expect(signup.wait().exitCode, 0)
        try expect(world.logIn("eve").exitCode, 0)
    }

    @Test func `password reset offers the link of the e-mail that arrives`() throws {
        try world.signUp("ada", "--email", "ada@example.org")
        let reset = try world.start(["password", "reset", "ada@example.org"], terminal: terminal)
        answer("An e-mail arrived: use its link? [Y/n] ", "")
        answer("New password: ", Sandbox.newPassword)
        answer(Prompt.confirmation, Sandbox.newPassword)
        expect(reset.wait().exitCode, 0)
        try world.run("verify-email", "--from-mail", "--json").refusal(7, "not-found")
    }

    @Test func `an error after a visible prompt starts on its own line`() throws {
        let login = try world.start(["login"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.username))
        terminal.type("\u{4}")
        expect(login.wait().exitCode, 2)
        #expect(terminal.shown.contains("\r\nauthctl: "))
    }

    @Test func `a prompt is not written to redirected standard output`() throws {
        try world.signUp("ada")
        let path = "\(world.root)/redirected"
        let script = #""$A" login ada --json >"\#(path)""#
        let login = try world.start(
            [], environment: ["A": BuiltBinary.path], terminal: terminal, program: ["/bin/bash", "-c", script])
        answer(Prompt.password, Sandbox.password)
        expect(login.wait().exitCode, 0)
        #expect(try world.text(path).hasPrefix(#"{"v":1,"kind":"login","#))
        #expect(try !world.text(path).contains("Password"))
    }

    @Test func `input typed before a password prompt is discarded`() throws {
        terminal.type("typed ahead\n")
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("\u{4}")
        expect(login.wait().exitCode, 2)
    }

    @Test func `a prompt ignores SIGINT if the process was started with SIGINT ignored`() throws {
        let signup = try world.start(["signup", "ada"], under: .shell("trap '' INT"), terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        signup.send(SIGINT)
        terminal.type("\u{4}")
        expect(signup.wait().exitCode, 2)
    }

    @Test(.enabled(if: Host.hasUtilLinux, "needs prlimit, setpriv and setsid"))
    func `a login without a controlling terminal shows no prompt`() throws {
        // The standard streams are a terminal, but /dev/tty cannot be opened.
        let login = try world.start(["login", "ada"], under: ["/usr/bin/setsid", "--wait"], terminal: terminal)
        expect(login.wait().exitCode, 2)
        #expect(terminal.waitFor("--password-stdin"))
        #expect(!terminal.shown.contains(Prompt.password))
    }

    private func answer(_ prompt: String, _ text: String, times: Int = 1) {
        #expect(terminal.waitFor(prompt, times: times))
        terminal.type("\(text)\n")
    }
}
