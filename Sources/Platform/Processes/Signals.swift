import LibC
import Synchronization

/// Catches signals, so that a prompt can restore the terminal, or a server can finish its requests, before the process
/// ends. Each signal makes a pipe readable. At most one watch exists at a time.
///
/// A signal handler may call only async-signal-safe functions, so it writes the signal's number to the pipe. Ignored
/// signals stay ignored.
package struct SignalWatch: ~Copyable {
    private let pipe: Pipe
    private let replaced: [(signal: Int32, action: sigaction)]

    /// - Returns: `nil` if no pipe could be opened.
    package init?(_ signals: [Int32]) {
        guard let pipe = Pipe() else { return nil }
        self.pipe = pipe
        signalPipe.store(pipe.writer, ordering: .relaxed)
        replaced = signals.compactMap { signal in
            let old = hold(signal) { signal in
                let saved = errno
                var number = UInt8(truncatingIfNeeded: signal)
                _ = write(signalPipe.load(ordering: .relaxed), &number, 1)
                errno = saved
            }
            return old.map { (signal, $0) }
        }
    }

    /// The descriptor that becomes readable when a signal arrives.
    package var wakeUp: Int32 { pipe.reader }

    /// Waits for the next signal and returns it; `nil` if the read fails.
    package borrowing func take() -> Int32? {
        var number: UInt8 = 0
        return read(wakeUp, &number, 1) == 1 ? Int32(number) : nil
    }

    /// Forgets the signals that have arrived.
    package borrowing func discard() {
        while pipe.isReadable(within: 0) { _ = take() }
    }

    deinit {
        for entry in replaced { restore(entry.action, of: entry.signal) }
        signalPipe.store(-1, ordering: .relaxed)
        // Raise a signal that arrived after the last `take`, now that the previous action is restored.
        if pipe.isReadable(within: 0), let late = take() { raise(late) }
    }
}

private let signalPipe = Atomic<Int32>(-1)

extension sigaction {
    fileprivate var isIgnored: Bool { address == 1 }

    mutating func setFlags(_ flags: Int32...) {
        sa_flags = .init(truncatingIfNeeded: flags.reduce(0, |))
    }

    #if canImport(Glibc)
        /// The handler's address; 0 is `SIG_DFL`, 1 is `SIG_IGN`.
        var address: Int { unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) }

        mutating func handle(_ handler: @escaping @convention(c) (Int32) -> Void) {
            __sigaction_handler.sa_handler = handler
        }
    #else
        /// The handler's address; 0 is `SIG_DFL`, 1 is `SIG_IGN`.
        var address: Int { unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self) }

        mutating func handle(_ handler: @escaping @convention(c) (Int32) -> Void) {
            __sigaction_u.__sa_handler = handler
        }
    #endif
}

/// Defers SIGINT, SIGTERM and SIGHUP until `get` has received a result and `keep` has saved it.
///
/// If `get` does not return within 0.8 seconds after the signal, the process exits. A second signal with the same
/// number ends the process immediately.
package func deferringSignals<Got, Kept, Failure: Error>(
    get: () throws(Failure) -> Got, keep: (Got) throws(Failure) -> Kept
) throws(Failure) -> Kept {
    let alarm = hold(SIGALRM, evenIfIgnored: true) { _ in
        if !isSaving.load(ordering: .relaxed) { dieByDeferredSignal() }
    }
    let replaced = [SIGINT, SIGTERM, SIGHUP].map { signal in
        (signal: signal, action: hold(signal) { deferSignal($0) })
    }
    defer {
        for entry in replaced { restore(entry.action, of: entry.signal) }
        // `dieByDeferredSignal` returns only if no signal was deferred. Then no alarm is pending.
        dieByDeferredSignal()
        isSaving.store(false, ordering: .relaxed)
        restore(alarm, of: SIGALRM)
    }
    let got = try get()
    // Only local disk writes remain. Exiting now would lose the result.
    isSaving.store(true, ordering: .relaxed)
    return try keep(got)
}

/// Runs `body`, which calls `arrived` to check for SIGINT, SIGTERM or SIGHUP. If `arrived` returns a signal, `body`
/// returns early.
///
/// A second signal ends the process, as does a signal during `deferringSignals` within `body`.
package func noticingSignals<Result, Failure: Error>(
    _ body: (_ arrived: @escaping @Sendable () -> Int32?) throws(Failure) -> Result
) throws(Failure) -> Result {
    noticedSignal.store(0, ordering: .relaxed)
    let replaced = [SIGINT, SIGTERM, SIGHUP].map { signal in
        (
            signal: signal,
            action: hold(signal) { signal in
                if noticedSignal.exchange(signal, ordering: .relaxed) != 0 { die(by: signal) }
            }
        )
    }
    defer { for entry in replaced { restore(entry.action, of: entry.signal) } }
    return try body {
        let signal = noticedSignal.load(ordering: .relaxed)
        return signal == 0 ? nil : signal
    }
}

private let noticedSignal = Atomic<Int32>(0)

/// The deferred signal; 0 if there is none.
private let deferredSignal = Atomic<Int32>(0)
private let isSaving = Atomic(false)

/// Installs a handler and returns the previous action. If the signal is ignored and `evenIfIgnored` is false, installs
/// nothing and returns `nil`.
private func hold(
    _ signal: Int32, evenIfIgnored: Bool = false, by handler: @escaping @convention(c) (Int32) -> Void
) -> sigaction? {
    var old = sigaction()
    guard sigaction(signal, nil, &old) == 0, evenIfIgnored || !old.isIgnored else { return nil }
    var action = sigaction()
    action.handle(handler)
    // Let a second signal with the same number interrupt the handler.
    action.setFlags(SA_NODEFER)
    sigaction(signal, &action, nil)
    return old
}

private func restore(_ action: sigaction?, of signal: Int32) {
    guard var action else { return }
    sigaction(signal, &action, nil)
}

/// Called from a signal handler.
private func deferSignal(_ signal: Int32) {
    let earlier = deferredSignal.exchange(signal, ordering: .relaxed)
    if earlier == signal { dieByDeferredSignal() }
    // `ualarm` only calls `setitimer`, a system call, so it is safe in a handler.
    if earlier == 0 { ualarm(800_000, 0) }
}

/// Ends the process with the deferred signal, if there is one. May be called from a signal handler.
private func dieByDeferredSignal() {
    let signal = deferredSignal.load(ordering: .relaxed)
    guard signal != 0 else { return }
    die(by: signal)
}

/// Runs `body`. If SIGINT arrives after `noteRequestSent`, writes `text` to standard error before the process ends.
package func writing<Value, Failure: Error>(
    _ text: String, ifInterrupted body: () throws(Failure) -> Value
) throws(Failure) -> Value {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = bytes.initialize(from: text.utf8)
    lastLength.store(bytes.count, ordering: .relaxed)
    lastText.store(UInt(bitPattern: bytes.baseAddress), ordering: .relaxed)
    isRequestSent.store(false, ordering: .relaxed)
    let replaced = hold(SIGINT) { signal in
        if isRequestSent.load(ordering: .relaxed) {
            let text = UnsafeRawPointer(bitPattern: lastText.load(ordering: .relaxed))
            _ = write(STDERR_FILENO, text, lastLength.load(ordering: .relaxed))
        }
        die(by: signal)
    }
    defer {
        restore(replaced, of: SIGINT)
        bytes.deallocate()
    }
    return try body()
}

/// Records that the server may have received a request.
package func noteRequestSent() { isRequestSent.store(true, ordering: .relaxed) }

/// The address and the length in bytes of the text that the SIGINT handler writes.
private let lastText = Atomic<UInt>(0)
private let lastLength = Atomic<Int>(0)
private let isRequestSent = Atomic(false)

/// Ignores SIGPIPE and SIGXFSZ, so that a failed `write` returns an error and does not end the process.
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

/// Restores the default action of the signals, even if they are ignored.
package func restoreDefaultActions(of numbers: [Int32]) {
    for number in numbers { signal(number, SIG_DFL) }
}

/// Restores the default action of a signal. An ignored signal stays ignored.
package func stopHandling(_ number: Int32) {
    var action = sigaction()
    if sigaction(number, nil, &action) == 0, !action.isIgnored { signal(number, SIG_DFL) }
}

/// Ends the process with a signal, as shells expect from an interrupted command.
package func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    exit(128 + number)
}

/// Ends the process with SIGPIPE, as filters do when the reader has closed the pipe.
package func dieByBrokenPipe() -> Never {
    die(by: SIGPIPE)
}
