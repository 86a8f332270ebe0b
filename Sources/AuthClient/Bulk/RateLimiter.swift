import Synchronization

/// Spreads requests evenly over time for all threads, and slows all of them down when the server asks for it.
final class RateLimiter: Sendable {
    private struct State {
        /// The time of the next request.
        var next = Duration.zero
        /// Between two requests; above `least` after a server has rejected one.
        var interval: Duration
        /// The end of the pause that a server asked for.
        var pauseEnd = Duration.zero
        /// Requests in a row that were rejected, or that reached no server.
        var failures = 0
        /// The first of the requests in a row that reached no server.
        var outageStart: Duration?
    }

    /// The time without a server after which bulk work ends.
    private static let longestOutage = Duration.seconds(60)
    private static let longestPause = 60
    /// Pauses in a row without an accepted request, after which bulk work ends.
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

    /// A server has accepted a request.
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
    /// - Returns: `false` if the server has accepted none for too long.
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

    /// A request has reached no server, or one that is not ready.
    ///
    /// - Returns: `false` if that has been so for too long.
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
