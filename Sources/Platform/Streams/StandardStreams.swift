import LibC

/// An output of the process: standard output or standard error.
package struct OutputStream: Sendable {
    package let isTerminal: Bool
    /// Writes all bytes.
    ///
    /// - Throws: `Errno`; `brokenPipe` when the reader has closed the pipe.
    package let writeBytes: @Sendable (UnsafeRawBufferPointer) throws(Errno) -> Void

    package init(
        isTerminal: Bool, writeBytes: @escaping @Sendable (UnsafeRawBufferPointer) throws(Errno) -> Void
    ) {
        self.isTerminal = isTerminal
        self.writeBytes = writeBytes
    }

    package static let standardOutput = OutputStream(descriptor: STDOUT_FILENO)
    package static let standardError = OutputStream(descriptor: STDERR_FILENO)

    private init(descriptor: Int32) {
        self.init(isTerminal: isatty(descriptor) == 1) { bytes throws(Errno) in try writeAll(bytes, to: descriptor) }
    }

    /// Writes the whole text.
    package func write(_ text: String) throws(Errno) {
        try write(Array(text.utf8))
    }

    package func write(_ bytes: [UInt8]) throws(Errno) {
        let outcome = bytes.withUnsafeBytes { bytes in
            Result { () throws(Errno) in try writeBytes(bytes) }
        }
        try outcome.get()
    }
}

/// An input of the process.
package struct InputStream: Sendable {
    package let isTerminal: Bool
    /// Reads to the end, but at most `limit` + 1 bytes.
    package let read: @Sendable (_ limit: Int) throws(Errno) -> [UInt8]
    /// The bytes of the input, which are read in pieces.
    package let source: @Sendable () throws(Errno) -> ByteSource

    package init(
        isTerminal: Bool, read: @escaping @Sendable (_ limit: Int) throws(Errno) -> [UInt8],
        source: @escaping @Sendable () throws(Errno) -> ByteSource
    ) {
        self.isTerminal = isTerminal
        self.read = read
        self.source = source
    }

    package static let standard = InputStream(
        isTerminal: isatty(STDIN_FILENO) == 1,
        read: { limit throws(Errno) in try readAll(from: STDIN_FILENO, upTo: limit) },
        source: { () throws(Errno) in try ByteSource.opened(STDIN_FILENO) })
}

/// Opens `/dev/null` for each standard stream that the process was started without.
///
/// Otherwise the next opened file, such as a database, would become that stream. `/dev/null` is opened in the wrong
/// direction, so that reads from standard input and writes to standard output or standard error still fail.
package func reserveStandardStreams() {
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
        guard fcntl(descriptor, F_GETFD) < 0, Errno.current == .badDescriptor else { continue }
        _ = open("/dev/null", mode)
    }
}

/// The width of the terminal in columns; `nil` if neither standard output nor standard error is a terminal with a known
/// width.
package func terminalWidth() -> Int? {
    var size = winsize()
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    }
    return nil
}
