import LibC

/// Shows on a terminal that an operation is in progress, from 0.3 s on until it ends.
///
/// Uses its own thread, because the operation may be a computation that cannot be interrupted. It writes directly to
/// the terminal, and clears its line before `end` returns.
package final class WaitNotice {
    private let stop: Pipe
    private var thread: NativeThread?

    /// - Parameter text: the operation, such as "logging in".
    /// - Returns: `nil` if no pipe or thread could be created; then there is no notice.
    package init?(_ text: String) {
        guard let stop = Pipe() else { return nil }
        self.stop = stop
        thread = NativeThread { showNotice(text, until: stop) }
        if thread == nil { return nil }
    }

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

private func showNotice(_ text: String, until stop: Pipe) {
    var wait: Int32 = 300
    var frame = 0
    while !stop.isReadable(within: wait) {
        redrawLine("\(["|", "/", "-", "\\"][frame % 4]) \(text) …")
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
