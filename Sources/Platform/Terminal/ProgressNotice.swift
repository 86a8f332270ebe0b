import LibC
import Synchronization

/// Shows on a terminal that an operation is in progress, if the operation takes longer than 0.3 seconds.
///
/// Uses a separate thread, because the operation may be a computation that cannot be interrupted. The thread writes
/// directly to the terminal. It clears its line before `end` returns.
package final class ProgressNotice {
    private let stop: Pipe
    private let text: NoticeText
    private var thread: NativeThread?

    /// - Parameter text: the operation, such as "logging in".
    /// - Returns: `nil` if no pipe or thread could be created. Then no notice is shown.
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

    /// The line of the notice, cut to the terminal, because a wrapped line would scroll at each redraw. The last column
    /// stays free: some terminals wrap a full line.
    package static func line(_ activity: String, _ frame: Int, width: Int?, _ ellipsis: String) -> String {
        let line = "\(["|", "/", "-", "\\"][frame % 4]) \(activity)"
        let room = width.map { max(0, $0 - 2 - ellipsis.count) } ?? line.count
        return "\(line.prefix(room)) \(ellipsis)"
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
        let activity = text.value.withLock { $0 }
        redrawLine(ProgressNotice.line(activity, frame, width: terminalWidth(), Environment.process.ellipsis))
        frame += 1
        wait = 120
    }
    if frame > 0 { redrawLine("") }
}

/// Replaces the current line of the terminal on standard error. Does nothing if the process runs in the background,
/// because the terminal then belongs to a different job.
private func redrawLine(_ text: String) {
    let group = tcgetpgrp(STDERR_FILENO)
    guard group < 0 || group == getpgrp() else { return }
    // `try?`: if the terminal has been closed, no notice is needed.
    try? writeAll(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
}
