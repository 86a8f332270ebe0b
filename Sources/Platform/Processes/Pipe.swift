import LibC

/// A pipe that wakes a thread waiting in `poll` or `select`.
package final class Pipe: Sendable {
    /// The descriptor that becomes readable after each `wake`.
    package let reader: Int32
    /// The descriptor to which signal handlers write directly, because they may call only async-signal-safe functions.
    package let writer: Int32

    /// - Returns: `nil` if the process has no free file descriptors.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reader = ends[0]
        writer = ends[1]
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Writes one byte; blocks while the pipe is full.
    package func wake() {
        var byte: UInt8 = 0
        while write(writer, &byte, 1) < 0, errno == EINTR {}
    }

    /// Waits up to `milliseconds` for a `wake`.
    package func isReadable(within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }
}
