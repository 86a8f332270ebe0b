import LibC

/// Where a process writes to: its standard output, or its standard error.
package struct OutputStream: Sendable {
    package let isTerminal: Bool
    /// Writes all of the text at once.
    ///
    /// - Throws: `Errno`; `brokenPipe` when nobody reads any more.
    package let write: @Sendable (String) throws(Errno) -> Void

    package init(isTerminal: Bool, write: @escaping @Sendable (String) throws(Errno) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    package static let standardOutput = OutputStream(descriptor: STDOUT_FILENO)
    package static let standardError = OutputStream(descriptor: STDERR_FILENO)

    private init(descriptor: Int32) {
        self.init(isTerminal: isatty(descriptor) == 1) { text throws(Errno) in
            try writeAll(Array(text.utf8), to: descriptor)
        }
    }
}

/// Where a process reads from.
package struct InputStream: Sendable {
    package let isTerminal: Bool
    /// Everything up to the end, or up to so many bytes and one more.
    package let read: @Sendable (_ limit: Int) throws(Errno) -> [UInt8]

    package init(isTerminal: Bool, read: @escaping @Sendable (_ limit: Int) throws(Errno) -> [UInt8]) {
        self.isTerminal = isTerminal
        self.read = read
    }

    package static let standard = InputStream(isTerminal: isatty(STDIN_FILENO) == 1) { limit throws(Errno) in
        try readAll(from: STDIN_FILENO, upTo: limit)
    }
}

/// Occupies the standard streams that the process was started without.
///
/// Else the next file to be opened, a database perhaps, would become the standard output. Each is opened the wrong way
/// round, so that reading from it or writing to it still fails.
package func reserveStandardStreams() {
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
        guard fcntl(descriptor, F_GETFD) < 0, Errno.current == .badDescriptor else { continue }
        _ = open("/dev/null", mode)
    }
}

/// Width in columns of the terminal that a person sees, as the system tells; `nil` where there is none.
package func terminalWidth() -> Int? {
    var size = winsize()
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    }
    return nil
}
