import LibC
import Synchronization

/// Writes lines to standard error without blocking, because a server must continue to respond.
///
/// While standard error is a full pipe or a paused terminal, lines are dropped. The next written line is preceded by
/// the number of dropped lines.
package final class UnblockedLines: Sendable {
    private let dropped = Mutex(0)
    private let canWrite: @Sendable () -> Bool
    private let write: @Sendable (String) -> Void

    /// - Parameter write: writes one line to standard error.
    package init(
        canWrite: @escaping @Sendable () -> Bool = { isWritable(STDERR_FILENO) },
        write: @escaping @Sendable (String) -> Void
    ) {
        self.canWrite = canWrite
        self.write = write
    }

    package func add(_ line: String) {
        dropped.withLock { dropped in
            guard canWrite() else {
                dropped += 1
                return
            }
            if dropped > 0 { write("lines dropped because the output was blocked: \(dropped)") }
            dropped = 0
            // 1,000 Unicode scalars have at most 4,000 bytes. A writable pipe accepts 4,096 bytes without blocking.
            write(line.start(1000))
        }
    }
}
