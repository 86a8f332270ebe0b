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
    /// The line exceeds the terminal's input limit, so its end is lost, or the limit of a secret.
    case lineTooLong
    case notUTF8
}

/// The controlling terminal of the process (`/dev/tty`), independent of the standard streams.
///
/// While echo is off, every catchable signal that ends or stops the process restores the terminal first. After Ctrl-Z
/// and `fg` the prompt is shown again. SIGKILL cannot be caught: `stty sane` turns echo on again.
///
/// Input beyond a line, such as the rest of a pasted text, is discarded; otherwise the shell would show and run it.
package struct SystemTerminal: Terminal {
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
        var settings = try Self.settings(of: terminal)
        while true {
            switch try promptOnce(prompt, hidden: hidden, on: terminal, settings) {
            case .line(let bytes): return try text(bytes)
            // After SIGSTOP the settings are still those of the hidden prompt.
            case .signal(SIGCONT): continue
            case .signal(let signal):
                suspend(by: signal)
                settings = try Self.settings(of: terminal)
            }
        }
    }

    /// Signals that end or stop a process, and SIGCONT: after a SIGSTOP, which cannot be caught, the shell has turned
    /// echo on again.
    private static let signals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT,
    ]

    private static func settings(of terminal: borrowing FileDescriptor) throws(TerminalError) -> termios {
        // A background job stops here until it is in the foreground: until then the terminal settings belong to the
        // shell.
        var settings = termios()
        guard tcdrain(terminal.number) == 0, tcgetattr(terminal.number, &settings) == 0 else { throw .unavailable }
        return settings
    }

    private enum Event {
        case line([UInt8])
        case signal(Int32)
    }

    /// Shows one prompt and reads one answer. Restores the terminal's normal settings before it returns.
    private func promptOnce(
        _ prompt: String, hidden: Bool, on terminal: borrowing FileDescriptor, _ normal: termios
    ) throws(TerminalError) -> Event {
        // A background job stops here until it is in the foreground.
        guard tcdrain(terminal.number) == 0, let watch = SignalWatch(Self.signals) else { throw .unavailable }
        var normal = normal
        var editor: HiddenLineEditor?
        if hidden {
            editor = HiddenLineEditor(normal)
            var silent = normal
            // Without ICANON the terminal neither limits nor edits a line. macOS limits lines to 1024 bytes, and ignores
            // the Enter key after that.
            silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
            silent.setControl(VMIN, 1)
            silent.setControl(VTIME, 0)
            // TCSAFLUSH discards input typed before the prompt, because the terminal echoed it.
            guard tcsetattr(terminal.number, TCSAFLUSH, &silent) == 0 else { throw .unavailable }
        }
        // `try?`: if the terminal has gone away, the read below fails.
        try? terminal.write(Array(prompt.utf8))
        let event = Result { () throws(TerminalError) in try readLine(from: terminal, watch, editor) }
        if hidden {
            tcsetattr(terminal.number, TCSAFLUSH, &normal)
        } else {
            tcflush(terminal.number, TCIFLUSH)
        }
        // Only an echoed line has ended the prompt's line. After the settings, because a terminal that was stopped with
        // Ctrl-S blocks the write.
        if case .success(.line) = event, !hidden { return try event.get() }
        try? terminal.write([UInt8(ascii: "\n")])
        return try event.get()
    }

    /// Lets the signal take its default action; returns when a stopped process resumes.
    private func suspend(by signal: Int32) {
        if signal == SIGTSTP { raise(SIGTSTP) } else { die(by: signal) }
    }

    private func readLine(
        from terminal: borrowing FileDescriptor, _ watch: borrowing SignalWatch, _ editor: HiddenLineEditor?
    ) throws(TerminalError) -> Event {
        var line: [UInt8] = []
        while true {
            var ready = DescriptorSet()
            ready.insert(watch.wakeUp)
            ready.insert(terminal.number)
            do throws(Errno) {
                try ready.keepReadable()
            } catch {
                guard error.code == EINTR else { throw .unavailable }
                continue
            }
            if ready.contains(watch.wakeUp), let signal = watch.take() { return .signal(signal) }
            guard ready.contains(terminal.number) else { continue }
            switch try readOnce(from: terminal, into: &line, editor) {
            case .more: continue
            case .line: return .line(line)
            }
        }
    }

    private enum Progress { case more, line }

    /// Reads one byte. Without an editor the terminal delivers whole lines; only Ctrl-D delivers one without a newline.
    private func readOnce(
        from terminal: borrowing FileDescriptor, into line: inout [UInt8], _ editor: HiddenLineEditor?
    ) throws(TerminalError) -> Progress {
        var byte: UInt8 = 0
        let count = read(terminal.number, &byte, 1)
        if count < 0 { return try interrupted() }
        // Without canonical mode, only a terminal that has been closed delivers nothing.
        if count == 0, editor != nil { throw line.isEmpty ? .endOfInput : .unavailable }
        if count == 0 || editor?.endsInput(byte) ?? false {
            if line.isEmpty { throw .endOfInput }
            return .more
        }
        if byte == UInt8(ascii: "\n") { return .line }
        if let editor, editor.edits(&line, by: byte) { return .more }
        line.append(byte)
        // The line discipline silently drops everything after 4095 bytes.
        guard line.count < (editor == nil ? 4095 : HiddenLineEditor.limit) else { throw .lineTooLong }
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
