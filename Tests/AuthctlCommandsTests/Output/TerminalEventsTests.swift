import CommandTestSupport
import Platform
import Testing

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
        #expect(journal.lines == lines)
    }

    @Test func `no progress notice is shown without a terminal`() {
        let journal = Journal()
        let events = events(journal, isTerminal: false)
        events.began("logging in")
        events.trace("> POST")
        #expect(journal.lines == ["authctl: > POST\n"])
    }

    @Test func `a repeated warning is printed once`() {
        let journal = Journal()
        let events = events(journal, isTerminal: false)
        for text in ["a", "b", "a"] { events.warn(text) }
        #expect(journal.lines == ["authctl: warning: a\n", "authctl: warning: b\n"])
    }

    private func events(_ journal: Journal, isTerminal: Bool) -> TerminalEvents {
        TerminalEvents(
            output: OutputStream(isTerminal: isTerminal) { bytes throws(Errno) in
                journal.add(String(decoding: bytes, as: UTF8.self))
            }, style: .plain,
            format: .text, isQuiet: false, moves: isTerminal, notice: RecordedNotices(journal: journal),
            hints: HintRenderer(profile: nil))
    }
}

private struct RecordedNotices: ProgressNotices {
    let journal: Journal

    func begin(_ activity: String) { journal.add("begin \(activity)") }
    func update(_ activity: String) { journal.add("update \(activity)") }
    func end() { journal.add("end") }
}
