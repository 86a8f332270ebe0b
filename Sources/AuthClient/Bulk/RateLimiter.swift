import Synchronization

/// Spreads the requests of all threads evenly over time. Slows all threads down when the server limits requests.
final class RateLimiter: Sendable {
    private struct State {
        var next = Duration.zero
        /// The time between two requests; above `least` after a server has limited requests.
        var interval: Duration
        /// The end of the pause that a server asked for.
        var pauseEnd = Duration.zero
        /// The number of consecutive requests that were rejected or reached no server.
        var failures = 0
        /// The time of the first of these requests that reached no server.
        var outageStart: Duration?
    }

    /// The time without a server after which bulk work ends.
    private static let longestOutage = Duration.seconds(60)
    private static let longestPause = 60
    /// The number of consecutive pauses without an accepted request after which bulk work ends.
    private static let mostRejections = 10

    private let least: Duration
    private let waiting: Waiting
    private let isStopped: @Sendable () -> Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - interval: the time between two requests; zero for no limit.
    ///   - isStopped: whether waiting must end.
    init(interval: Duration, waiting: Waiting, isStopped: @escaping @Sendable () -> Bool) {
        least = interval
        self.waiting = waiting
        self.isStopped = isStopped
        state = Mutex(State(interval: interval))
    }

    /// Waits for the time of the next request.
    ///
    /// - Returns: `false` if the work was stopped.
    func wait() -> Bool {
        let time = state.withLock { state in
            let time = max(waiting.now(), state.next, state.pauseEnd)
            state.next = time + state.interval
            return time
        }
        while !isStopped() {
            // A pause may have begun since.
            let rest = max(time, state.withLock { $0.pauseEnd }) - waiting.now()
            guard rest > .zero else { return true }
            waiting.pause(min(rest, .milliseconds(100)))
        }
        return false
    }

    func succeeded() {
        state.withLock { state in
            state.failures = 0
            state.outageStart = nil
            state.interval = max(least, state.interval * 0.98)
        }
    }

    /// A server has rejected a request because there were too many.
    ///
    /// - Parameters:
    ///   - seconds: the pause that it asks for.
    ///   - average: the time between two requests so far.
    /// - Returns: `false` if the server has accepted no request for too long.
    func rejected(retryAfter seconds: Int?, average: Duration) -> Bool {
        state.withLock { state in
            let now = waiting.now()
            state.outageStart = nil
            // Requests that were sent together are rejected together.
            if now >= state.pauseEnd {
                state.interval = max(state.interval * 1.5, average)
                state.failures += 1
            }
            state.pauseEnd = max(state.pauseEnd, now + .seconds(seconds ?? Self.pause(after: state.failures)))
            return state.failures <= Self.mostRejections
        }
    }

    /// A request has reached no server, or a server that is not ready.
    ///
    /// - Returns: `false` if no request has reached a server for too long.
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

    private static func pause(after failures: Int) -> Int { min(longestPause, 1 << min(6, max(0, failures - 1))) }
}
