/// Tells somebody at a terminal that a call is still under way, from 0.3 s on, until it is over.
///
/// A thread of its own, since the call that is waited for may be a computation that nothing interrupts. It writes
/// straight to the terminal, and clears its line before `end` returns.
package final class WaitNotice {
    private let stop: Pipe
    private var thread: NativeThread?

    /// - Parameter text: what is under way, such as "logging in".
    /// - Returns: `nil` if the system has no pipe or thread left: then there is no notice.
    package init?(_ text: String) {
        guard let stop = Pipe() else { return nil }
        self.stop = stop
        thread = NativeThread { showNotice(text, until: stop) }
        if thread == nil { return nil }
    }

    /// Ends it; the line of the notice is empty again.
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
        NoticeLine.draw("\(["|", "/", "-", "\\"][frame % 4]) \(text) …")
        frame += 1
        wait = 120
    }
    if frame > 0 { NoticeLine.end() }
}
