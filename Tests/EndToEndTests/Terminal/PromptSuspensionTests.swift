import Foundation
import TestSupport
import Testing

/// Jobs that a shell starts in the background, stops and continues: what is typed at a hidden prompt stays unseen.
@Suite(.keepsInvariants, .mostlyWaits) struct PromptSuspensionTests {
    private let world: Sandbox
    private let terminal: PseudoTerminal

    init() throws {
        world = try Sandbox()
        terminal = try PseudoTerminal()
        world.set("A", to: BuiltBinary.path)
    }

    @Test func `a job in the background asks in the foreground, with the settings that it finds there`() throws {
        let before = terminal.settingsText
        // As a shell that edits its line has it, and gives it to a job.
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
        #expect(terminal.waitFor("Password: "))
        #expect(terminal.shown.hasSuffix("it waits\r\nPassword: "))
        terminal.type("wrong\u{15}\(Sandbox.password)\r")
        #expect(terminal.waitFor("The same again: "))
        terminal.type("\(Sandbox.password)\r")
        #expect(terminal.waitFor("ended with 0"))
        shell.wait()
        #expect(terminal.settingsText == before)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `a job that was stopped by force hides again what is typed`() throws {
        let before = terminal.settingsText
        let shell = try run(
            """
            set -m
            bash -c 'echo "number $$."; exec "$A" signup ada'
            echo "stopped with $?"
            stty echo
            fg >/dev/null
            echo "ended with $?"
            """)
        #expect(terminal.waitFor("Password: "))
        let number = try #require(terminal.shown.firstMatch(of: /number (\d+)\./)?.1)
        kill(try #require(Int32(number)), SIGSTOP)
        #expect(terminal.waitFor("stopped with 147"))
        #expect(terminal.waitFor("Password: ", times: 2))
        #expect(!terminal.isEchoing)
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor("The same again: "))
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor("ended with 0"))
        shell.wait()
        #expect(terminal.settingsText == before)
        #expect(!terminal.shown.contains(Sandbox.password))
    }

    @Test func `a job of a script is nobody to ask`() throws {
        let shell = try run(#""$A" login ada & wait $!; echo "ended with $?""#)
        #expect(terminal.waitFor("ended with 2"))
        shell.wait()
        #expect(!terminal.shown.contains("Password: "))
    }

    @Test(arguments: [SIGALRM, SIGUSR1, SIGUSR2, SIGABRT])
    func `a signal that few send leaves the terminal as it was, too`(signal: Int32) throws {
        let before = terminal.settingsText
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        login.send(signal)
        #expect(login.wait().signal == signal)
        #expect(terminal.settingsText == before)
    }

    @Test func `a terminal that is stopped does not keep a signal waiting`() throws {
        let login = try world.start(["login", "ada"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\u{13}")
        usleep(100_000)
        login.send(SIGTERM)
        #expect(login.wait(atMost: .seconds(5)).signal == SIGTERM)
        #expect(terminal.isEchoing)
    }

    private static let prompts = ["User name: ", "Password: ", "The same again: "]

    @Test(arguments: prompts, ["\u{3}", "\u{1C}", "\u{4}", "TERM", "HUP"])
    func `every prompt ends with the terminal as it was`(prompt: String, how: String) throws {
        let before = terminal.settingsText
        let signup = try world.start(["signup"], terminal: terminal)
        for (earlier, answer) in [("User name: ", "ada"), ("Password: ", Sandbox.password)] where earlier != prompt {
            guard prompt != "User name: ", prompt != "Password: " || earlier == "User name: " else { continue }
            #expect(terminal.waitFor(earlier))
            terminal.type("\(answer)\n")
        }
        #expect(terminal.waitFor(prompt))
        switch how {
        case "TERM": signup.send(SIGTERM)
        case "HUP": signup.send(SIGHUP)
        default: terminal.type(how)
        }
        let end = signup.wait()
        #expect(end.signal != nil || end.exitCode == 2)
        #expect(terminal.settingsText == before)
        #expect(terminal.shown.hasSuffix("\r\n"))
        #expect(!terminal.shown.contains(Sandbox.password))
        #expect(world.contents(of: world.home) == [])
    }

    private func run(_ script: String) throws -> RunningProgram {
        try world.start([], terminal: terminal, program: ["/bin/bash", "-c", script])
    }
}
