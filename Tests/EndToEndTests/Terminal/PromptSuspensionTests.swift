import Foundation
import TestSupport

/// Prompts of commands that are stopped, continued, in the background or ended by a signal. A password is never echoed.
@Suite(.mostlyWaits, .keepsInvariants) struct PromptSuspensionTests {
    private let world = Sandbox()
    private let terminal = PseudoTerminal()

    init() throws {
        world.set("A", to: BuiltBinary.path)
    }

    @Test func `after fg, a job prompts with the current terminal settings, not those at its start`() throws {
        let before = terminal.settingsText
        // Like a shell with line editing, disable canonical mode before the job starts.
        let shell = try run(
            """
            set -m
            stty -icanon -echo -icrnl
            "$A" signup ada &
            until jobs -s | grep -q .; do sleep 0.05; done
            echo "it waits"
            stty icanon echo icrnl
            fg >/dev/null
            echo "ended with $?"
            """)
        #expect(terminal.waitFor("it waits"))
        #expect(terminal.waitFor(Prompt.password))
        #expect(terminal.shown.hasSuffix("it waits\r\n\(Prompt.password)"))
        terminal.type("wrong\u{15}\(Sandbox.password)\r")
        #expect(terminal.waitFor(Prompt.confirmation))
        terminal.type("\(Sandbox.password)\r")
        #expect(terminal.waitFor("ended with 0"))
        shell.wait()
        expect(terminal.settingsText, before)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `a password prompt stopped by SIGSTOP disables the echo again when it is continued`() throws {
        let before = terminal.settingsText
        let shell = try run(
            """
            set -m
            bash -c 'echo "number $$."; exec "$A" signup ada'
            echo "stopped with $?"
            stty echo icanon
            fg >/dev/null
            echo "ended with $?"
            """)
        #expect(terminal.waitFor(Prompt.password))
        let number = try #require(terminal.shown.firstMatch(of: /number (\d+)\./)?.1)
        kill(try #require(Int32(number)), SIGSTOP)
        #expect(terminal.waitFor("stopped with 147"))
        #expect(terminal.waitFor(Prompt.password, times: 2))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor(Prompt.confirmation))
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor("ended with 0"))
        shell.wait()
        expect(terminal.settingsText, before)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `a login in the background of a script does not prompt for a password`() throws {
        let shell = try run(#""$A" login ada & wait $!; echo "ended with $?""#)
        #expect(terminal.waitFor("ended with 2"))
        shell.wait()
        #expect(!terminal.shown.contains(Prompt.password))
    }

    private static let prompts = [Prompt.username, Prompt.optionalEmail, Prompt.password, Prompt.confirmation]

    @Test(arguments: prompts, ["\u{3}", "\u{1C}", "\u{4}", "TERM", "HUP", "USR1"])
    func `a signup restores the terminal settings if a signal or Ctrl-D ends it`(prompt: String, how: String) throws {
        let before = terminal.settingsText
        let signup = try world.start(["signup"], terminal: terminal)
        let answers = [(Prompt.username, "ada"), (Prompt.optionalEmail, ""), (Prompt.password, Sandbox.password)]
        for (earlier, answer) in answers.prefix(while: { $0.0 != prompt }) {
            #expect(terminal.waitFor(earlier))
            terminal.type("\(answer)\n")
        }
        #expect(terminal.waitFor(prompt))
        switch how {
        case "TERM": signup.send(SIGTERM)
        case "HUP": signup.send(SIGHUP)
        case "USR1": signup.send(SIGUSR1)
        default: terminal.type(how)
        }
        let end = signup.wait()
        let signals = ["\u{3}": SIGINT, "\u{1C}": SIGQUIT, "TERM": SIGTERM, "HUP": SIGHUP, "USR1": SIGUSR1]
        expect(end.signal, signals[how])
        #expect(how != "\u{4}" || end.exitCode == 2)
        expect(terminal.settingsText, before)
        #expect(terminal.shown.hasSuffix("\r\n"))
        #expect(!terminal.shown.contains(Sandbox.password))
        expect(world.contents(of: world.home), [])
    }

    private func run(_ script: String) throws -> RunningProgram {
        try world.start([], terminal: terminal, program: ["/bin/bash", "-c", script])
    }
}
