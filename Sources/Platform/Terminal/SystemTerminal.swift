import LibC
import Synchronization

/// A terminal that can prompt the user.
package protocol Terminal: Sendable {
    /// Prompts for one line, with echo.
    func ask(_ prompt: String) throws(TerminalError) -> String

    /// Prompts for one line, without echo.
    func askHidden(_ prompt: String) throws(TerminalError) -> String
}

package enum TerminalError: Error, Equatable {
    /// There is no terminal, or it has been closed.
    case unavailable
    /// The user ended the input (Ctrl-D) instead of answering.
    case endOfInput
    /// The line exceeds the terminal's input limit, so its end is lost.
    case lineTooLong
    case notUTF8
}

/// The controlling terminal of the process (`/dev/tty`), independent of the standard streams.
///
/// While echo is off, every catchable signal that ends or stops the process restores the terminal first. After Ctrl-Z
/// and `fg` the prompt is shown again. SIGKILL cannot be caught: `stty sane` turns echo on again.
///
/// Pasted lines answer the following prompts. Unused lines are discarded at exit; otherwise the shell would show and
/// run them.
package struct SystemTerminal: Terminal {
    private let pasted = PastedLines()

    package init() {}

    package func ask(_ prompt: String) throws(TerminalError) -> String {
        try promptForLine(prompt, hidden: false)
    }

    package func askHidden(_ prompt: String) throws(TerminalError) -> String {
        try promptForLine(prompt, hidden: true)
    }

    private func promptForLine(_ prompt: String, hidden: Bool) throws(TerminalError) -> String {
        let number = openUninterrupted("/dev/tty", O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw .unavailable }
        let terminal = FileDescriptor(number)
        if let line = pasted.next() {
            try? terminal.write(Array("\(prompt)\n".utf8))
            return try text(line)
        }
        while true {
            switch try promptOnce(prompt, hidden: hidden, on: terminal) {
            case .line(let bytes): return try text(bytes)
            case .signal(let signal): suspend(by: signal)
            }
        }
    }

    /// Signals that end or stop a process, and SIGCONT: after a SIGSTOP, which cannot be caught, the shell has turned
    /// echo on again.
    private static let signals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT,
    ]

    private enum Event {
        case line([UInt8])
        case signal(Int32)
    }

    /// Shows one prompt and reads one answer. Restores the terminal before it returns.
    private func promptOnce(
        _ prompt: String, hidden: Bool, on terminal: borrowing FileDescriptor
    ) throws(TerminalError) -> Event {
        // A background job stops here until it is in the foreground: until then the terminal settings belong to the
        // shell.
        guard tcdrain(terminal.number) == 0, let watch = SignalWatch(Self.signals) else { throw .unavailable }
        var normal = termios()
        guard tcgetattr(terminal.number, &normal) == 0 else { throw .unavailable }
        if hidden {
            var silent = normal
            silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
            // TCSAFLUSH discards input typed before the prompt, because the terminal echoed it.
            guard tcsetattr(terminal.number, TCSAFLUSH, &silent) == 0 else { throw .unavailable }
        }
        // `try?`: if the terminal has gone away, the read below fails.
        try? terminal.write(Array(prompt.utf8))
        let event = Result { () throws(TerminalError) in try readLine(from: terminal, watch) }
        var isLine = false
        if case .success(.line) = event { isLine = true }
        if isLine { pasted.takeLines(from: terminal) }
        // Only an echoed line has ended the prompt's line; otherwise write a newline. A terminal stopped with Ctrl-S
        // would block the write, and a signal must not wait for that.
        var room = pollfd(fd: terminal.number, events: Int16(POLLOUT), revents: 0)
        if hidden || !isLine, poll(&room, 1, 0) > 0 { try? terminal.write([UInt8(ascii: "\n")]) }
        if hidden {
            tcsetattr(terminal.number, TCSAFLUSH, &normal)
        } else {
            tcflush(terminal.number, TCIFLUSH)
        }
        return try event.get()
    }

    /// Lets the signal take its default action; returns when a stopped process resumes.
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

    /// Reads the available bytes. A terminal delivers whole lines; only Ctrl-D delivers a line without a newline.
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
        // The line discipline silently drops everything after this many bytes.
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

/// Complete lines that were already available when an earlier line was read.
private final class PastedLines: Sendable {
    private let lines = Mutex<[[UInt8]]>([])

    /// More lines than the prompts of any command.
    private static let limit = 16

    func next() -> [UInt8]? {
        lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Reads the complete lines that are available, one per `read`. The pieces of a paste arrive within milliseconds.
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
