import LibC
import Synchronization

/// Catches signals that wake a `poll`, so that a prompt first restores the terminal, or a server finishes its requests.
/// Only one watch exists at a time.
///
/// A handler may only call async-signal-safe functions, so it writes the signal's number into a pipe. Ignored signals
/// stay ignored.
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

    /// Becomes readable when a signal arrives.
    package var wakeUp: Int32 { pipe.reader }

    /// The signal that arrived, or `nil`.
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
        // A signal that arrived after the last `poll` takes its default action now.
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

/// Defers SIGINT, SIGTERM and SIGHUP until a result has been received and saved.
///
/// If nothing has been received 0.8 seconds after the signal, the process exits then. A second signal of the same kind
/// takes effect at once.
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
        // The alarm is pending only if the next line ends the process.
        dieByDeferredSignal()
        isSaving.store(false, ordering: .relaxed)
        restore(alarm, of: SIGALRM)
    }
    let got = try get()
    // From here on only local disk writes remain, and exiting would lose the result.
    isSaving.store(true, ordering: .relaxed)
    return try keep(got)
}

/// Runs `body`, which asks whether SIGINT, SIGTERM or SIGHUP has arrived, and ends early then.
///
/// A second signal ends the process at once. `body` must not call `deferringSignals`, which catches the same signals.
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

/// Installs a handler and returns the previous action; `nil` if the signal was ignored.
private func hold(
    _ signal: Int32, evenIfIgnored: Bool = false, by handler: @escaping @convention(c) (Int32) -> Void
) -> sigaction? {
    var old = sigaction()
    guard sigaction(signal, nil, &old) == 0, evenIfIgnored || !old.isIgnored else { return nil }
    var action = sigaction()
    action.handle(handler)
    // A second signal of the same kind is delivered inside the handler.
    action.setFlags(SA_NODEFER)
    sigaction(signal, &action, nil)
    return old
}

private func restore(_ action: sigaction?, of signal: Int32) {
    guard var action else { return }
    sigaction(signal, &action, nil)
}

/// Runs in a signal handler.
private func deferSignal(_ signal: Int32) {
    let earlier = deferredSignal.exchange(signal, ordering: .relaxed)
    if earlier == signal { dieByDeferredSignal() }
    // `ualarm` is a plain system call, so it is safe in a handler.
    if earlier == 0 { ualarm(800_000, 0) }
}

/// May run in a signal handler.
private func dieByDeferredSignal() {
    let signal = deferredSignal.load(ordering: .relaxed)
    guard signal != 0 else { return }
    die(by: signal)
}

/// Runs `body`. If SIGINT ends the process after `noteRequestSent`, writes a text to standard error first.
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

/// From here on, a server may have received a request.
package func noteRequestSent() { isRequestSent.store(true, ordering: .relaxed) }

/// The address of the text, and its length in bytes.
private let lastText = Atomic<UInt>(0)
private let lastLength = Atomic<Int>(0)
private let isRequestSent = Atomic(false)

/// Ignores SIGPIPE and SIGXFSZ, so that the system call fails instead of the process being killed.
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

/// Restores the default action of the signals, for a command that replaces this process.
package func restoreDefaultActions(of numbers: [Int32]) {
    for number in numbers { signal(number, SIG_DFL) }
}

/// Restores the default action of a signal, unless it is ignored.
package func stopHandling(_ number: Int32) {
    var action = sigaction()
    if sigaction(number, nil, &action) == 0, !action.isIgnored { signal(number, SIG_DFL) }
}

/// Ends the process with a signal, as shells expect of an interrupted command.
package func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    exit(128 + number)
}

/// Ends the process with SIGPIPE, as filters do when the reader closed the pipe.
package func dieByBrokenPipe() -> Never {
    die(by: SIGPIPE)
}
