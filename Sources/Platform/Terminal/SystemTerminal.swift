import LibC

/// A terminal that can prompt the user.
package protocol Terminal: Sendable {
    /// Prompts for one line, with echo.
    func ask(_ prompt: String) throws(TerminalError) -> String

    /// Prompts for one line, without echo.
    func askHidden(_ prompt: String) throws(TerminalError) -> String

    /// Prompts for the text of standard input, which must be a terminal, without echo.
    func readHidden(_ prompt: String, _ extent: HiddenExtent) throws(TerminalError) -> String
}

/// How much of standard input a hidden prompt reads.
package enum HiddenExtent: Sendable {
    case line
    /// Up to Ctrl-D at the beginning of a line.
    case lines
}

package enum TerminalError: Error, Equatable {
    /// There is no usable terminal, or the terminal was closed while the line was not empty.
    case unavailable
    /// The input ended while the line was empty, because the user typed Ctrl-D or the terminal was closed.
    case endOfInput
    /// The line is too long for the terminal, or longer than the limit for secrets.
    case lineTooLong
    case notUTF8
}

/// The controlling terminal of the process (`/dev/tty`), independent of the standard streams.
///
/// Before a caught signal ends or stops the process, the terminal is restored. After Ctrl-Z and `fg`, the prompt is
/// shown again. If SIGKILL, which cannot be caught, ends a hidden prompt, echo stays off until the user runs
/// `stty sane`.
///
/// Input after the first line, such as the rest of pasted text, is discarded. Otherwise the shell would run it.
package struct SystemTerminal: Terminal {
    package init() {}

    package func ask(_ prompt: String) throws(TerminalError) -> String {
        try text(prompt, nil, openUninterrupted("/dev/tty", O_RDWR | O_CLOEXEC))
    }

    package func askHidden(_ prompt: String) throws(TerminalError) -> String {
        try text(prompt, .line, openUninterrupted("/dev/tty", O_RDWR | O_CLOEXEC))
    }

    package func readHidden(_ prompt: String, _ extent: HiddenExtent) throws(TerminalError) -> String {
        try text(prompt, extent, fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))
    }

    /// - Parameter hidden: how much to read without echo; `nil` for a line with echo.
    private func text(_ prompt: String, _ hidden: HiddenExtent?, _ number: Int32) throws(TerminalError) -> String {
        guard number >= 0 else { throw .unavailable }
        let terminal = FileDescriptor(number)
        var settings = try Self.settings(of: terminal)
        while true {
            switch try promptOnce(prompt, hidden: hidden, on: terminal, settings) {
            case .line(let bytes): return try text(bytes)
            // After SIGSTOP, `settings` is still correct: it holds the settings from before echo was turned off.
            case .signal(SIGCONT): continue
            case .signal(let signal):
                suspend(by: signal)
                settings = try Self.settings(of: terminal)
            }
        }
    }

    /// Signals that end or stop a process, and SIGCONT. At SIGCONT, the prompt starts again, because the shell turns
    /// echo on after SIGSTOP, which cannot be caught.
    private static let signals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT,
    ]

    private static func settings(of terminal: borrowing FileDescriptor) throws(TerminalError) -> termios {
        // `tcdrain` stops a background job until it is in the foreground. Until then, the shell's settings apply.
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
        _ prompt: String, hidden: HiddenExtent?, on terminal: borrowing FileDescriptor, _ normal: termios
    ) throws(TerminalError) -> Event {
        // `tcdrain` stops a background job until it is in the foreground.
        guard tcdrain(terminal.number) == 0, let watch = SignalWatch(Self.signals) else { throw .unavailable }
        var normal = normal
        var editor: HiddenLineEditor?
        if let hidden {
            editor = HiddenLineEditor(normal, hidden)
            var silent = normal
            // Without ICANON, the terminal neither limits nor edits a line. With ICANON, macOS limits lines to 1024
            // bytes, and ignores the Enter key after that.
            silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
            silent.setControl(VMIN, 1)
            silent.setControl(VTIME, 0)
            // TCSAFLUSH discards input that was typed before the prompt, because the terminal has echoed that input.
            guard tcsetattr(terminal.number, TCSAFLUSH, &silent) == 0 else { throw .unavailable }
        }
        show(prompt, on: terminal)
        let event = Result { () throws(TerminalError) in try readLine(from: terminal, watch, editor) }
        if hidden != nil {
            tcsetattr(terminal.number, TCSAFLUSH, &normal)
        } else {
            tcflush(terminal.number, TCIFLUSH)
        }
        // If a line was read with echo, the terminal has already shown its newline. Otherwise, a newline is written
        // after the settings are restored, because `write` blocks on a terminal that is paused with Ctrl-S.
        if case .success(.line) = event, hidden == nil { return try event.get() }
        show("\n", on: terminal)
        return try event.get()
    }

    /// Writes to standard error if standard input was opened for reading only, as by `</dev/tty`.
    private func show(_ text: String, on terminal: borrowing FileDescriptor) {
        do throws(Errno) {
            try terminal.write(Array(text.utf8))
        } catch {
            // `try?`: if the terminal has been closed, the next read fails.
            if error.code == EBADF { try? OutputStream.standardError.write(text) }
        }
    }

    /// Runs the signal's default action. If SIGTSTP stops the process, returns when the process resumes.
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

    /// Reads one byte. Without an editor, the terminal delivers complete lines, or an incomplete line after Ctrl-D.
    private func readOnce(
        from terminal: borrowing FileDescriptor, into line: inout [UInt8], _ editor: HiddenLineEditor?
    ) throws(TerminalError) -> Progress {
        var byte: UInt8 = 0
        let count = read(terminal.number, &byte, 1)
        if count < 0 { return try interrupted() }
        // With an editor, `read` returns 0 only if the terminal has been closed.
        if count == 0, editor != nil { throw line.isEmpty ? .endOfInput : .unavailable }
        if count == 0 || editor?.endsInput(byte) ?? false {
            if line.isEmpty { throw .endOfInput }
            return editor?.extent == .lines && line.last == UInt8(ascii: "\n") ? .line : .more
        }
        if byte == UInt8(ascii: "\n"), editor?.extent != .lines { return .line }
        if let editor, editor.edits(&line, by: byte) { return .more }
        line.append(byte)
        // Without an editor, the terminal drops all input after 4095 bytes, so a line of that length may be cut off.
        guard line.count <= (editor == nil ? 4094 : HiddenLineEditor.limit) else { throw .lineTooLong }
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

/// The keys that edit a line while the terminal does not echo it.
struct HiddenLineEditor {
    /// The maximum length of a line in bytes, as for standard input.
    static let limit = 65_536

    private let erase: UInt8
    private let eraseWord: UInt8
    private let eraseLine: UInt8
    private let endOfInput: UInt8
    let extent: HiddenExtent

    init(_ settings: termios, _ extent: HiddenExtent) {
        self.extent = extent
        erase = settings.control(VERASE)
        eraseWord = settings.control(VWERASE)
        eraseLine = settings.control(VKILL)
        endOfInput = settings.control(VEOF)
    }

    func endsInput(_ byte: UInt8) -> Bool { isKey(byte) && byte == endOfInput }

    /// - Returns: whether the byte was an editing key.
    func edits(_ line: inout [UInt8], by byte: UInt8) -> Bool {
        guard isKey(byte) else { return false }
        switch byte {
        case erase: Self.removeCharacter(of: &line)
        case eraseWord:
            while line.last == UInt8(ascii: " ") { line.removeLast() }
            while let last = line.last, last != UInt8(ascii: " ") { line.removeLast() }
        case eraseLine: line = []
        default: return false
        }
        return true
    }

    /// A disabled key has the value 0 or, on macOS, 255.
    private func isKey(_ byte: UInt8) -> Bool { byte != 0 && byte != 255 }

    /// Removes the UTF-8 bytes of the last Unicode scalar.
    private static func removeCharacter(of line: inout [UInt8]) {
        while let last = line.popLast(), last & 0xC0 == 0x80 {}
    }
}

extension termios {
    func control(_ key: Int32) -> UInt8 { withUnsafeBytes(of: c_cc) { $0[Int(key)] } }

    mutating func setControl(_ key: Int32, _ value: UInt8) {
        withUnsafeMutableBytes(of: &c_cc) { $0[Int(key)] = value }
    }
}

/// A set of file descriptors to wait for with `select`.
///
/// `poll` is not used, because it reports POLLNVAL for terminals on macOS.
struct DescriptorSet {
    private var bits = fd_set()
    private var end: Int32 = 0

    /// Adds a descriptor. Descriptors from 1024 on, which `select` does not support, are never ready.
    mutating func insert(_ descriptor: Int32) {
        guard descriptor >= 0, descriptor < Int32(MemoryLayout<fd_set>.size * 8) else { return }
        withUnsafeMutableBytes(of: &bits) { $0[Int(descriptor / 8)] |= 1 << UInt8(descriptor % 8) }
        end = max(end, descriptor + 1)
    }

    func contains(_ descriptor: Int32) -> Bool {
        guard descriptor >= 0, descriptor < end else { return false }
        return withUnsafeBytes(of: bits) { $0[Int(descriptor / 8)] & 1 << UInt8(descriptor % 8) != 0 }
    }

    /// Waits until a descriptor is readable, and removes all descriptors that are not readable.
    ///
    /// - Throws: `Errno`, including `EINTR`.
    mutating func keepReadable() throws(Errno) {
        if select(end, &bits, nil, nil, nil) < 0 { throw .current }
    }
}
