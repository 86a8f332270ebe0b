import Synchronization

/// Writes lines on a separate thread, so that a pipe whose reader has stopped never blocks the caller.
///
/// Lines beyond `mostWaiting` are dropped; their number is written before the next line.
package final class BackgroundLines: Sendable {
    private struct State {
        var waiting: [String] = []
        var dropped = 0
    }

    private let state = Mutex(State())
    private let mostWaiting: Int
    private let write: @Sendable (String) -> Void
    /// Contains one byte for each waiting line, and one for the end.
    private let work: Pipe
    /// Readable when all lines are written.
    private let end: Pipe

    /// - Parameter write: writes one line; it may block.
    /// - Returns: `nil` if no pipe or no thread could be created.
    package init?(mostWaiting: Int = 1000, write: @escaping @Sendable (String) -> Void) {
        guard let work = Pipe(), let end = Pipe() else { return nil }
        self.mostWaiting = mostWaiting
        self.write = write
        self.work = work
        self.end = end
        guard NativeThread({ [self] in run() }) != nil else { return nil }
    }

    package func add(_ line: String) {
        let isAdded = state.withLock { state in
            guard state.waiting.count < mostWaiting else {
                state.dropped += 1
                return false
            }
            state.waiting.append(line)
            return true
        }
        if isAdded { work.wake() }
    }

    /// Waits until all lines are written, but at most for `patience`. Do not add lines afterwards.
    package func finish(within patience: Duration) {
        work.wake()
        _ = end.isReadable(within: Int32(clamping: patience.milliseconds))
    }

    /// The loop of the thread.
    private func run() {
        while true {
            work.drain()
            let (line, dropped) = state.withLock { state in
                defer { state.dropped = 0 }
                return (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.dropped)
            }
            if dropped > 0 { write("lines dropped because the output was blocked: \(dropped)") }
            guard let line else { break }
            write(line)
        }
        end.wake()
    }
}
