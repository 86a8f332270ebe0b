import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct TerminalEventsTests {
    @Test func `a trace line clears the progress notice and shows the notice again`() {
        let journal = Journal()
        let events = events(journal, isTerminal: true)
        events.began("logging in")
        events.trace("> POST")
        events.ended()
        events.trace("< 200")
        let lines = ["begin logging in", "end", "authctl: > POST\n", "begin logging in", "end", "authctl: < 200\n"]
        expect(journal.lines, lines)
    }

    @Test func `the notice of an activity stays during the activities in it`() {
        let journal = Journal()
        let events = events(journal, isTerminal: true)
        events.began("listing")
        for count in 1...2 {
            events.during("asking") {}
            events.progressed("listing: \(count)")
        }
        events.ended()
        events.during("saving") {}
        expect(
            journal.lines, ["begin listing", "update listing: 1", "update listing: 2", "end", "begin saving", "end"])
    }

    @Test func `no progress notice is shown without a terminal`() {
        let journal = Journal()
        let events = events(journal, isTerminal: false)
        events.began("logging in")
        events.trace("> POST")
        expect(journal.lines, ["authctl: > POST\n"])
    }

    @Test func `a repeated warning is printed once`() {
        let journal = Journal()
        let events = events(journal, isTerminal: false)
        for text in ["a", "b", "a"] { events.warn(text) }
        for _ in 1...2 { events.noteOnce("c") }
        expect(journal.lines, ["authctl: warning: a\n", "authctl: warning: b\n", "authctl: note: c\n"])
    }

    @Test(arguments: [(OutputFormat.text, ["authctl: note: a; b\n"], []), (.json, [], ["a; b"])])
    func `information that scripts need is a note in text output and a warning in JSON output`(
        format: OutputFormat, lines: [String], warnings: [String]
    ) {
        let journal = Journal()
        let events = events(journal, isTerminal: false, format)
        events.inform("a", next: "b")
        #expect(journal.lines == lines && events.takeWarnings() == warnings)
    }

    @Test(arguments: [
        (
            "hint", "create an account: authctl signup -p pb --email ada@example.org",
            "authctl: hint: create an account:\n    authctl signup -p pb --email ada@example.org\n"
        ),
        (
            "error", "cannot read the file '/a b/c d e f g h i j k l' of ada's phone",
            "authctl: error: cannot read the file\n    '/a b/c d e f g h i j k l' of ada's\n    phone\n"
        ),
        ("warning", "a b", "authctl: warning: a b\n"),
        (
            "hint", "run: chmod go-rw '/a folder/with a long name/and a file'",
            "authctl: hint: run:\n    chmod go-rw '/a folder/with a long name/and a file'\n"
        ),
    ])
    func `a message is wrapped to the terminal between words, but never in quotes or in a command`(
        label: String, text: String, lines: String
    ) {
        var style = TextStyle.plain
        style.width = 40
        expect(style.message(label, text) { $0 }, lines)
        style.width = nil
        expect(style.message(label, text) { $0 }, "authctl: \(label): \(text)\n")
    }

    private func events(
        _ journal: Journal, isTerminal: Bool, _ format: OutputFormat = .text
    ) -> TerminalEvents {
        TerminalEvents(
            output: OutputStream(isTerminal: isTerminal) { bytes throws(Errno) in
                journal.add(String(decoding: bytes, as: UTF8.self))
            }, style: .plain,
            format: format, isQuiet: false, moves: isTerminal, notice: RecordedNotices(journal: journal),
            hints: HintRenderer(profile: nil))
    }
}

private struct RecordedNotices: ProgressNotices {
    let journal: Journal

    func begin(_ activity: String) { journal.add("begin \(activity)") }
    func update(_ activity: String) { journal.add("update \(activity)") }
    func end() { journal.add("end") }
}

@Suite struct VerboseOutputTests {
    @Test func `--verbose traces every request, but not its headers, query or body`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.server.expect(.currentSession(), .sessions())
        let result = world.run("sessions", "--verbose", "--json")
        MessageFile("commands/verbose").expect(result.stderr.replacing(#/in \d+ ms/#, with: "in 0 ms"))
        #expect(result.stdout.hasPrefix("{"))
    }

    @Test func `--verbose prints the error message of the server`() {
        let world = TestContext()
        world.server.expect(.logIn("ada", "wrong", 404, #"{"code":101,"error":"Invalid username/password."}"#))
        let result = world.run("login", "ada", "-v", "--password-stdin", stdin: "wrong")
        #expect(result.stderr.contains("Invalid username/password."))
        #expect(result.stderr.contains("404"))
        #expect(result.stderr.contains("101"))
    }
}
