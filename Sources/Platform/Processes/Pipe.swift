import LibC

/// A pipe whose bytes mean only "look": they wake a `poll`, or count what is there to do.
package final class Pipe: Sendable {
    /// Becomes readable with each `wake`.
    package let reader: Int32
    /// For a signal handler, which may write and do nothing else.
    package let writer: Int32

    /// - Returns: `nil` if the system has no pipe left.
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

    /// Writes one byte; waits while the pipe is full.
    package func wake() {
        var byte: UInt8 = 0
        while write(writer, &byte, 1) < 0, errno == EINTR {}
    }

    /// Waits for a `wake` up to so many milliseconds.
    package func isReadable(within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }

    /// Takes up to so many bytes, and waits for the first of them.
    package func drain(_ count: Int = 1) {
        var bytes = [UInt8](repeating: 0, count: count)
        while read(reader, &bytes, count) < 0, errno == EINTR {}
    }
}
