import LibC
import Synchronization

/// Signals while a prompt has changed the terminal: they wake a `poll`, so that the terminal can be restored first.
///
/// A handler may do next to nothing, so it writes the signal's number into a pipe. Signals that the process was told
/// to ignore stay ignored.
struct SignalWatch: ~Copyable {
    private let pipe: Pipe
    private let replaced: [(signal: Int32, action: sigaction)]

    /// - Returns: `nil` if there is no pipe to be had.
    init?(_ signals: [Int32]) {
        guard let pipe = Pipe() else { return nil }
        self.pipe = pipe
        signalPipe.store(pipe.writer, ordering: .relaxed)
        replaced = signals.compactMap { signal in
            install(signal).map { (signal, $0) }
        }
    }

    /// Becomes readable when a signal has come.
    var wakeUp: Int32 { pipe.reader }

    /// The signal that came.
    borrowing func take() -> Int32? {
        var number: UInt8 = 0
        return read(wakeUp, &number, 1) == 1 ? Int32(number) : nil
    }

    deinit {
        for entry in replaced {
            var action = entry.action
            sigaction(entry.signal, &action, nil)
        }
        signalPipe.store(-1, ordering: .relaxed)
        // One that came too late to be seen has its usual effect now.
        if pipe.isReadable(within: 0), let late = take() { raise(late) }
    }
}

private let signalPipe = Atomic<Int32>(-1)

/// Puts our handler in the place of the signal's action; `nil` if that was to ignore it.
private func install(_ signal: Int32) -> sigaction? {
    var old = sigaction()
    guard sigaction(signal, nil, &old) == 0, !old.isIgnored else { return nil }
    var action = sigaction()
    action.handle { signal in
        let saved = errno
        var number = UInt8(truncatingIfNeeded: signal)
        _ = write(signalPipe.load(ordering: .relaxed), &number, 1)
        errno = saved
    }
    sigaction(signal, &action, nil)
    return old
}

extension sigaction {
    fileprivate var isIgnored: Bool { address == 1 }

    mutating func setFlags(_ flags: Int32...) {
        sa_flags = .init(truncatingIfNeeded: flags.reduce(0, |))
    }

    #if canImport(Glibc)
        /// Of the handler; 0: the usual effect, 1: none.
        var address: Int { unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) }

        mutating func handle(_ handler: @escaping @convention(c) (Int32) -> Void) {
            __sigaction_handler.sa_handler = handler
        }
    #else
        /// Of the handler; 0: the usual effect, 1: none.
        var address: Int { unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self) }

        mutating func handle(_ handler: @escaping @convention(c) (Int32) -> Void) {
            __sigaction_u.__sa_handler = handler
        }
    #endif
}

/// Gets something that must be kept, and keeps it: SIGINT, SIGTERM and SIGHUP have their effect when that is over, or 0.8
/// seconds later if nothing was got by then. A second one of a kind has it at once.
package func holdingSignals<Got, Kept, Failure: Error>(
    get: () throws(Failure) -> Got, keep: (Got) throws(Failure) -> Kept
) throws(Failure) -> Kept {
    let alarm = hold(SIGALRM) { _ in
        if !isKeeping.load(ordering: .relaxed) { dieOfHeldSignal() }
    }
    let replaced = [SIGINT, SIGTERM, SIGHUP].map { signal in
        (signal: signal, action: hold(signal) { remember($0) })
    }
    defer {
        for entry in replaced { restore(entry.action, of: entry.signal) }
        // The alarm is set only where this is the end.
        dieOfHeldSignal()
        isKeeping.store(false, ordering: .relaxed)
        restore(alarm, of: SIGALRM)
    }
    let got = try get()
    // From here on it takes a disk's time alone, and what was got would be lost.
    isKeeping.store(true, ordering: .relaxed)
    return try keep(got)
}

/// The signal that came meanwhile; 0: none.
private let heldSignal = Atomic<Int32>(0)
private let isKeeping = Atomic(false)

/// Puts a handler in the place of the signal's action; `nil` if that was to ignore it.
private func hold(_ signal: Int32, by handler: @escaping @convention(c) (Int32) -> Void) -> sigaction? {
    var old = sigaction()
    guard sigaction(signal, nil, &old) == 0, signal == SIGALRM || !old.isIgnored else { return nil }
    var action = sigaction()
    action.handle(handler)
    // A second one is sent again from the handler.
    action.setFlags(SA_NODEFER)
    sigaction(signal, &action, nil)
    return old
}

private func restore(_ action: sigaction?, of signal: Int32) {
    guard var action else { return }
    sigaction(signal, &action, nil)
}

/// In a handler.
private func remember(_ signal: Int32) {
    let earlier = heldSignal.exchange(signal, ordering: .relaxed)
    if earlier == signal { dieOfHeldSignal() }
    // A system call and no more, as a handler may make.
    if earlier == 0 { ualarm(800_000, 0) }
}

/// In a handler, too.
private func dieOfHeldSignal() {
    let signal = heldSignal.load(ordering: .relaxed)
    guard signal != 0 else { return }
    NoticeLine.clear()
    die(by: signal)
}

/// Makes writing to a closed pipe and over a size limit an error of the call instead of a death.
///
/// - Returns: the signals that were not ignored before.
package func ignoreWriteSignals() -> [Int32] {
    [SIGPIPE, SIGXFSZ].filter { number in
        var earlier = sigaction()
        let wasIgnored = sigaction(number, nil, &earlier) == 0 && earlier.isIgnored
        signal(number, SIG_IGN)
        return !wasIgnored
    }
}

/// Gives the signals their default action again, for a command that replaces this process.
package func restoreDefaultActions(of numbers: [Int32]) {
    for number in numbers { signal(number, SIG_DFL) }
}

/// Gives a signal its usual effect again, unless it is ignored.
package func stopHandling(_ number: Int32) {
    var action = sigaction()
    if sigaction(number, nil, &action) == 0, !action.isIgnored { signal(number, SIG_DFL) }
}

/// Ends the process by a signal, as a shell expects of one that was interrupted.
package func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    exit(128 + number)
}

/// Ends the process as one whose reader went away.
package func dieByBrokenPipe() -> Never {
    die(by: SIGPIPE)
}
