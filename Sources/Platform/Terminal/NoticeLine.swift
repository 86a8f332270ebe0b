import LibC
import Synchronization

/// The progress line on standard error, a terminal, which is redrawn in place.
///
/// A signal that ends or stops the process clears it first, so that later output begins on an empty line. While the
/// process runs in the background, the terminal belongs to another job, and nothing is written.
enum NoticeLine {
    private static let hidden: UInt8 = 0
    private static let drawing: UInt8 = 1
    private static let shown: UInt8 = 2
    /// A signal handler cleared the line; drawing is forbidden.
    private static let over: UInt8 = 3
    private static let state = Atomic<UInt8>(hidden)

    private static let empty: StaticString = "\r\u{1B}[K"

    static func draw(_ text: String) {
        let before = state.load(ordering: .relaxed)
        guard before == hidden || before == shown, isInForeground else { return }
        for signal in signals { installHandler(for: signal) }
        guard state.compareExchange(expected: before, desired: drawing, ordering: .relaxed).exchanged else { return }
        // `try?`: if the terminal has gone away, no notice is needed.
        try? writeAll(Array("\(empty)\(text)".utf8), to: STDERR_FILENO)
        _ = state.compareExchange(expected: drawing, desired: shown, ordering: .relaxed)
    }

    static func end() {
        if state.exchange(hidden, ordering: .relaxed) == shown, isInForeground { writeEmpty() }
        for signal in signals { removeHandler(for: signal) }
    }

    /// Clears the line for good. Safe in a signal handler.
    static func clear() {
        // Waits for a drawing thread at most 50 ms: a terminal stopped with Ctrl-S blocks it forever.
        for _ in 0..<50 where state.load(ordering: .relaxed) == drawing { poll(nil, 0, 1) }
        guard state.exchange(over, ordering: .relaxed) == shown else { return }
        if DescriptorSet.isWritable(STDERR_FILENO) { writeEmpty() }
    }

    private static func writeEmpty() {
        _ = write(STDERR_FILENO, empty.utf8Start, empty.utf8CodeUnitCount)
    }

    private static var isInForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        return group < 0 || group == getpgrp()
    }

    private static var signals: [Int32] { [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] }

    /// Installs the handler only over the default action: other handlers and ignored signals take precedence.
    private static func installHandler(for signal: Int32) {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0, action.address == 0 else { return }
        action.handle(clearAndRaise)
        // With the flags below, `raise` in the handler takes the default action.
        action.setFlags(SA_RESTART, Int32(truncatingIfNeeded: SA_RESETHAND), SA_NODEFER)
        sigaction(signal, &action, nil)
    }

    private static func removeHandler(for number: Int32) {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0, action.address == unsafeBitCast(clearAndRaise, to: Int.self) else {
            return
        }
        signal(number, SIG_DFL)
    }

    private static let clearAndRaise: @convention(c) (Int32) -> Void = { signal in
        let saved = errno
        clear()
        raise(signal)
        // The process was stopped and has been resumed.
        state.store(hidden, ordering: .relaxed)
        errno = saved
    }
}
