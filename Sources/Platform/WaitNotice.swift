#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells somebody at a terminal that a call is still under way, from 0.3 s on, until it is over.
///
/// A thread of its own, since the call that is waited for may be a computation that nothing interrupts. It writes
/// straight to the terminal, and clears its line before `end` returns.
package final class WaitNotice {
    private let text: String
    private let stop: (reader: Int32, writer: Int32)
    private var thread: pthread_t?

    /// - Parameter text: what is under way, such as "logging in".
    /// - Returns: `nil` if the system has no pipe or thread left: then there is no notice.
    package init?(_ text: String) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.text = text
        stop = (ends[0], ends[1])
        guard start() else { return nil }
    }

    /// Ends it; the line of the notice is empty again.
    package func end() {
        guard let thread else { return }
        close(stop.writer)
        pthread_join(thread, nil)
        close(stop.reader)
        self.thread = nil
    }

    deinit {
        end()
    }

    private func start() -> Bool {
        let context = Unmanaged.passRetained(Job(text: text, stop: stop.reader))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let result = pthread_create(&thread, nil, waitThread, context.toOpaque())
        guard result == 0 else {
            context.release()
            close(stop.reader)
            close(stop.writer)
            return false
        }
        self.thread = thread
        return true
    }

    private final class Job {
        let text: String
        let stop: Int32

        init(text: String, stop: Int32) {
            self.text = text
            self.stop = stop
        }

        func run() {
            var wait: Int32 = 300
            var frame = 0
            while !isOver(within: wait) {
                show("\r\u{1B}[K\(["|", "/", "-", "\\"][frame % 4]) \(text) …")
                frame += 1
                wait = 120
            }
            if frame > 0 { show("\r\u{1B}[K") }
        }

        private func isOver(within milliseconds: Int32) -> Bool {
            var waiting = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
            return poll(&waiting, 1, milliseconds) > 0
        }

        /// A terminal that went away needs no notice.
        private func show(_ text: String) {
            try? writeAll(Array(text.utf8), to: STDERR_FILENO)
        }
    }

    #if canImport(Glibc)
        private let waitThread: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            context.map { Unmanaged<Job>.fromOpaque($0).takeRetainedValue().run() }
            return nil
        }
    #else
        private let waitThread: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
            Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }
    #endif
}
