import LibC
import Synchronization

/// Shows on a terminal that an operation is in progress, from 0.3 s on until it ends.
///
/// Uses its own thread, because the operation may be a computation that cannot be interrupted. It writes directly to
/// the terminal, and clears its line before `end` returns.
package final class WaitNotice {
    private let stop: Pipe
    private let text: NoticeText
    private var thread: NativeThread?

    /// - Parameter text: the operation, such as "logging in".
    /// - Returns: `nil` if no pipe or thread could be created; then there is no notice.
    package init?(_ text: String) {
        guard let stop = Pipe() else { return nil }
        self.stop = stop
        let current = NoticeText(text)
        self.text = current
        thread = NativeThread { showNotice(current, until: stop) }
        if thread == nil { return nil }
    }

    /// Sets the text that the next redraw shows.
    package func update(_ text: String) { self.text.value.withLock { $0 = text } }

    /// Ends the notice and clears its line.
    package func end() {
        guard let thread else { return }
        stop.wake()
        thread.join()
        self.thread = nil
    }

    deinit {
        end()
    }
}

private final class NoticeText: Sendable {
    let value: Mutex<String>

    init(_ text: String) {
        value = Mutex(text)
    }
}

private func showNotice(_ text: NoticeText, until stop: Pipe) {
    var wait: Int32 = 300
    var frame = 0
    while !stop.isReadable(within: wait) {
        redrawLine("\(["|", "/", "-", "\\"][frame % 4]) \(text.value.withLock { $0 }) …")
        frame += 1
        wait = 120
    }
    if frame > 0 { redrawLine("") }
}

/// Replaces the line on standard error, a terminal, unless the process runs in the background: then the terminal belongs
/// to another job.
private func redrawLine(_ text: String) {
    let group = tcgetpgrp(STDERR_FILENO)
    guard group < 0 || group == getpgrp() else { return }
    // `try?`: if the terminal has gone away, no notice is needed.
    try? writeAll(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
}
