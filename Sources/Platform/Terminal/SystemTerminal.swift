import LibC
import Synchronization

/// A terminal where somebody can be asked.
package protocol Terminal: Sendable {
    /// Asks for one line, shown as it is typed.
    func ask(_ prompt: String) throws(TerminalError) -> String

    /// Asks for one line that is not shown.
    func askHidden(_ prompt: String) throws(TerminalError) -> String
}

package enum TerminalError: Error, Equatable {
    /// There is no terminal, or it went away.
    case unavailable
    /// The input was ended (Ctrl-D) instead of answered.
    case endOfInput
    /// The line is longer than a terminal takes, and its end is lost.
    case lineTooLong
    case notUTF8
}

/// The terminal that controls the process, whatever its standard streams are.
///
/// While it hides what is typed, every signal that ends or stops the process restores the terminal first: Ctrl-C leaves
/// it as it was, and so does Ctrl-Z, after which the prompt is put again. Nothing can be done at SIGKILL: `stty sane` shows
/// again what is typed.
///
/// Lines that come together, as from a paste, answer the prompts that follow, and what is left of them dies with the
/// process: a shell would show and run it.
package struct SystemTerminal: Terminal {
    private let pasted = PastedLines()

    package init() {}

    package func ask(_ prompt: String) throws(TerminalError) -> String {
        try converse(prompt, hidden: false)
    }

    package func askHidden(_ prompt: String) throws(TerminalError) -> String {
        try converse(prompt, hidden: true)
    }

    private func converse(_ prompt: String, hidden: Bool) throws(TerminalError) -> String {
        let number = openUninterrupted("/dev/tty", O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw .unavailable }
        let terminal = FileDescriptor(number)
        if let line = pasted.next() {
            try? terminal.write(Array("\(prompt)\n".utf8))
            return try text(line)
        }
        while true {
            switch try oneTry(prompt, hidden: hidden, on: terminal) {
            case .line(let bytes): return try text(bytes)
            case .signal(let signal): suspend(by: signal)
            }
        }
    }

    /// Those that end or stop a process; and the one after a stop that nothing announced, from which the shell comes
    /// back with a terminal that shows what is typed.
    private static let signals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT,
    ]

    private enum Event {
        case line([UInt8])
        case signal(Int32)
    }

    /// One prompt and its answer. The terminal is as before when it returns.
    private func oneTry(
        _ prompt: String, hidden: Bool, on terminal: borrowing FileDescriptor
    ) throws(TerminalError) -> Event {
        // A job in the background stops here until it comes to the foreground: before that the settings are the shell's.
        guard tcdrain(terminal.number) == 0, let watch = SignalWatch(Self.signals) else { throw .unavailable }
        var normal = termios()
        guard tcgetattr(terminal.number, &normal) == 0 else { throw .unavailable }
        if hidden {
            var silent = normal
            silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
            // What was typed before the prompt is thrown away: it was shown.
            guard tcsetattr(terminal.number, TCSAFLUSH, &silent) == 0 else { throw .unavailable }
        }
        // A terminal that went away fails the read that follows.
        try? terminal.write(Array(prompt.utf8))
        let event = Result { () throws(TerminalError) in try readLine(from: terminal, watch) }
        var isLine = false
        if case .success(.line) = event { isLine = true }
        if isLine { pasted.takeLines(from: terminal) }
        // What is written next begins on a line of its own: only a line that was shown ended this one. A terminal that was
        // stopped with Ctrl-S takes nothing, and no signal may wait for that.
        var room = pollfd(fd: terminal.number, events: Int16(POLLOUT), revents: 0)
        if hidden || !isLine, poll(&room, 1, 0) > 0 { try? terminal.write([UInt8(ascii: "\n")]) }
        if hidden {
            tcsetattr(terminal.number, TCSAFLUSH, &normal)
        } else {
            tcflush(terminal.number, TCIFLUSH)
        }
        return try event.get()
    }

    /// Ends or stops the process as the signal would have; returns when a stopped one goes on.
    private func suspend(by signal: Int32) {
        switch signal {
        case SIGCONT: return
        case SIGTSTP: raise(SIGTSTP)
        default: die(by: signal)
        }
    }

    private func readLine(
        from terminal: borrowing FileDescriptor, _ watch: borrowing SignalWatch
    ) throws(TerminalError) -> Event {
        var line: [UInt8] = []
        var waiting = [
            pollfd(fd: watch.wakeUp, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&waiting, 2, -1)
            if count < 0, Errno.current.code != EINTR { throw .unavailable }
            if count > 0, waiting[0].revents != 0, let signal = watch.take() { return .signal(signal) }
            guard count > 0, waiting[1].revents != 0 else { continue }
            switch try readOnce(from: terminal, into: &line) {
            case .more: continue
            case .line: return .line(line)
            }
        }
    }

    private enum Progress { case more, line }

    /// Takes the bytes that are there; a line of a terminal comes as one piece, without its end only at Ctrl-D.
    private func readOnce(
        from terminal: borrowing FileDescriptor, into line: inout [UInt8]
    ) throws(TerminalError) -> Progress {
        var byte: UInt8 = 0
        let count = read(terminal.number, &byte, 1)
        if count < 0 { return try interrupted() }
        if count == 0 {
            if line.isEmpty { throw .endOfInput }
            return .more
        }
        if byte == UInt8(ascii: "\n") { return .line }
        line.append(byte)
        // The line discipline drops what comes after so many bytes, without a word.
        guard line.count < 4095 else { throw .lineTooLong }
        return .more
    }

    private func interrupted() throws(TerminalError) -> Progress {
        guard Errno.current.code == EINTR || Errno.current.code == EAGAIN else { throw .unavailable }
        return .more
    }

    private func text(_ bytes: [UInt8]) throws(TerminalError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }
}

/// Whole lines that were there when the one before them was read.
private final class PastedLines: Sendable {
    private let lines = Mutex<[[UInt8]]>([])

    /// More than anybody pastes in answer to questions.
    private static let limit = 16

    func next() -> [UInt8]? {
        lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Each read gives one line, as long as the terminal has whole ones. A paste may come in pieces, though quickly.
    func takeLines(from terminal: borrowing FileDescriptor) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var ready = pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0)
        for _ in 0..<Self.limit where poll(&ready, 1, 20) > 0 {
            let count = read(terminal.number, &bytes, bytes.count)
            guard count > 0, bytes[count - 1] == UInt8(ascii: "\n") else { return }
            lines.withLock { $0.append(Array(bytes[..<(count - 1)])) }
        }
    }
}
