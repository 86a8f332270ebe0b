import Synchronization

/// Spreads the requests of all threads evenly over time. Slows all threads down when the server limits requests.
final class RateLimiter: Sendable {
    private struct State {
        var next = Duration.zero
        /// The time between two requests; longer than `least` after the server has limited requests.
        var interval: Duration
        /// The end of the current pause, in which no request is sent.
        var pauseEnd = Duration.zero
        /// The number of pauses due to the rate limit since the last accepted request.
        var rejections = 0
        /// The number of pauses in the current outage.
        var failures = 0
        /// The time of the first failed request in the current outage; `nil` if there is no outage.
        var outageStart: Duration?
    }

    /// The length of an outage after which bulk work ends.
    private static let longestOutage = Duration.seconds(60)
    /// The longest pause in seconds, unless the server requests a longer pause.
    private static let longestPause = 60
    /// The longest pause in seconds that the server can request. If it requests a longer pause, bulk work ends.
    private static let longestRequestedPause = 300
    /// The maximum of `State.rejections`. If it is exceeded, bulk work ends.
    private static let mostRejections = 10

    private let least: Duration
    private let waiting: Waiting
    private let isStopped: @Sendable () -> Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - interval: the time between two requests; zero for no limit.
    ///   - isStopped: returns true if waiting must end.
    init(interval: Duration, waiting: Waiting, isStopped: @escaping @Sendable () -> Bool) {
        least = interval
        self.waiting = waiting
        self.isStopped = isStopped
        state = Mutex(State(interval: interval))
    }

    /// Waits until the next request may be sent.
    ///
    /// - Returns: `false` if the work was stopped.
    func wait() -> Bool {
        let time = state.withLock { state in
            let time = max(waiting.now(), state.next, state.pauseEnd)
            state.next = time + state.interval
            return time
        }
        while !isStopped() {
            // Another thread may have started a pause in the meantime.
            let rest = max(time, state.withLock { $0.pauseEnd }) - waiting.now()
            guard rest > .zero else { return true }
            waiting.pause(min(rest, .milliseconds(100)))
        }
        return false
    }

    func succeeded() {
        state.withLock { state in
            (state.rejections, state.failures) = (0, 0)
            state.outageStart = nil
            state.interval = max(least, state.interval * 0.98)
        }
    }

    /// Records that the server rejected a request because of its rate limit.
    ///
    /// - Parameters:
    ///   - seconds: the pause that the server requested; `nil` if it requested none.
    ///   - average: the average time between two requests so far.
    /// - Returns: the length of the new pause in seconds; 0 if another thread has already begun the pause; `nil` if the
    ///   work must end, because the pause would be too long or `mostRejections` is exceeded.
    func rejected(retryAfter seconds: Int?, average: Duration) -> Int? {
        if let seconds, seconds > Self.longestRequestedPause { return nil }
        return state.withLock { state in
            let now = waiting.now()
            (state.outageStart, state.failures) = (nil, 0)
            // Requests that were sent together are rejected together, so they count once.
            let isNew = now >= state.pauseEnd
            if isNew {
                state.interval = max(state.interval * 1.5, average)
                state.rejections += 1
            }
            guard state.rejections <= Self.mostRejections else { return nil }
            let pause = max(1, seconds ?? Self.pause(after: state.rejections))
            state.pauseEnd = max(state.pauseEnd, now + .seconds(pause))
            return isNew ? pause : 0
        }
    }

    /// Records that a request reached no server, or a server that is not ready.
    ///
    /// - Returns: `false` if the outage has lasted too long.
    func failed() -> Bool {
        state.withLock { state in
            let now = waiting.now()
            let start = state.outageStart ?? now
            state.outageStart = start
            if now >= state.pauseEnd { state.failures += 1 }
            state.pauseEnd = max(state.pauseEnd, now + .seconds(min(5, Self.pause(after: state.failures))))
            return now - start < Self.longestOutage
        }
    }

    private static func pause(after count: Int) -> Int { min(longestPause, 1 << min(6, max(0, count - 1))) }
}
